"""What the service says of itself: conductors, drivers, and lists of what it does not have."""

import pytest

from ironic_app.models import Conductor
from ironic_app.services import conductors
from tests.ironic.builders import project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two_conductors():
    """One that works and one that has signed off."""
    for hostname, group in (("conductor-1", ""), ("conductor-2", "rack-1")):
        conductors.sign_on(hostname=hostname, conductor_group=group, drivers=["fake-hardware", "ipmi"])
    conductors.sign_off(hostname="conductor-2")


@pytest.mark.usefixtures("two_conductors")
class TestConductors:
    def test_are_listed_with_whether_they_live(self, baremetal):
        found = baremetal.get("/v1/conductors").json()["conductors"]

        assert [(shown["hostname"], shown["conductor_group"], shown["alive"]) for shown in found] == [
            ("conductor-1", "", True),
            ("conductor-2", "rack-1", False),
        ]
        assert found[0].keys() == {"hostname", "conductor_group", "alive", "links"}
        assert found[0]["links"][0]["href"] == "http://testserver/baremetal/v1/conductors/conductor-1"

    def test_show_what_they_work_for(self, baremetal):
        shown = baremetal.get("/v1/conductors/Conductor-1").json()

        assert shown["drivers"] == ["fake-hardware", "ipmi"]
        assert baremetal.get("/v1/conductors?detail=True").json()["conductors"][0] == shown

    def test_are_dead_when_nothing_was_heard_of_them(self, baremetal, settings):
        settings.CONDUCTOR_TIMEOUT_SECONDS = 0

        assert baremetal.get("/v1/conductors/conductor-1").json()["alive"] is False

    def test_are_read_page_by_page(self, baremetal):
        first = baremetal.get("/v1/conductors?limit=1").json()
        second = baremetal.get(first["next"]).json()

        assert [shown["hostname"] for shown in second["conductors"]] == ["conductor-2"]
        assert "next" not in second

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/v1/conductors/nope", 404),
            ("/v1/conductors?fields=bogus", 400),
            ("/v1/conductors?sort_key=alive", 400),
            ("/v1/conductors?sort_key=hostname", 200),
            ("/v1/conductors?fields=hostname,alive", 200),
        ],
    )
    def test_are_asked_for_sensibly(self, baremetal, path, status):
        assert baremetal.get(path).status_code == status

    def test_were_not_there_before_their_version(self, baremetal):
        assert baremetal.get("/v1/conductors", version="1.48").status_code == 404

    def test_are_for_operators(self, baremetal):
        assert baremetal.get("/v1/conductors", **project("p1")).status_code == 403


class TestSigningOn:
    def test_does_not_mind_the_case_of_a_name(self):
        for hostname in ("Rack-1", "rack-1"):
            conductors.sign_on(hostname=hostname, conductor_group="", drivers=[])

        assert Conductor.objects.count() == 1
        assert conductors.alive() == {"rack-1"}
        assert not conductors.heartbeat(hostname="nobody")


class TestDrivers:
    def test_are_listed_with_the_conductors_that_live(self, baremetal, two_conductors):
        found = {shown["name"]: shown for shown in baremetal.get("/v1/drivers").json()["drivers"]}

        assert found["fake-hardware"]["hosts"] == ["conductor-1"]
        assert found["redfish"]["hosts"] == []
        assert found["ipmi"].keys() == {"name", "hosts", "links", "properties", "type"}

    def test_show_their_interfaces(self, baremetal):
        shown = baremetal.get("/v1/drivers/fake-hardware").json()

        assert shown["default_power_interface"] == "fake"
        assert "noop" in shown["enabled_network_interfaces"]
        assert baremetal.get("/v1/drivers?detail=True").json()["drivers"][0] == shown

    @pytest.mark.parametrize(
        ("version", "keys"),
        [
            ("1.1", {"name", "hosts", "links"}),
            ("1.29", {"name", "hosts", "links", "properties"}),
        ],
    )
    def test_show_what_the_version_knows(self, baremetal, version, keys):
        assert baremetal.get("/v1/drivers/fake-hardware", version=version).json().keys() == keys

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/v1/drivers/nope", 404),
            ("/v1/drivers?type=bogus", 400),
            ("/v1/drivers?type=classic", 200),
            ("/v1/drivers?bogus=1", 400),
            ("/v1/drivers/fake-hardware/properties", 200),
            ("/v1/drivers/nope/properties", 404),
        ],
    )
    def test_are_asked_for_sensibly(self, baremetal, path, status):
        assert baremetal.get(path).status_code == status

    def test_can_be_cut_down_to_some_fields(self, baremetal):
        assert baremetal.get("/v1/drivers?fields=name").json()["drivers"][0].keys() == {"name", "links"}
        assert baremetal.get("/v1/drivers/ipmi?fields=name").json().keys() == {"name", "links"}

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/v1/drivers?fields=bogus", 400),
            ("/v1/drivers/ipmi?fields=bogus", 400),
            ("/v1/drivers?detail=True&fields=name", 400),
            ("/v1/drivers?fields=default_boot_interface", 200),
        ],
    )
    def test_have_no_other_fields(self, baremetal, path, status):
        assert baremetal.get(path).status_code == status


class TestNothing:
    @pytest.mark.parametrize("key", ["deploy_templates", "runbooks", "inspection_rules"])
    def test_is_there_of_what_the_service_does_not_do(self, baremetal, key):
        assert baremetal.get(f"/v1/{key}").json() == {key: []}
        assert baremetal.get(f"/v1/{key}/some").status_code == 404
        assert baremetal.post(f"/v1/{key}", {}).status_code == 405
        assert baremetal.get(f"/v1/{key}", version="1.54").status_code == 404

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"events": [{"event": "network.bind_port"}]}, 204),
            ({"events": []}, 400),
            ([], 400),
            ({"events": [{"event": "x"}]}, 400),
        ],
    )
    def test_depends_on_events_but_they_are_taken(self, baremetal, body, status):
        assert baremetal.post("/v1/events", body).status_code == status
