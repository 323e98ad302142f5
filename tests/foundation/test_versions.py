"""Which version is in force, and what holds at it."""

import pytest

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.negotiation import VersionUnacceptable, VersionUnparsable, negotiate
from claimsite.foundation.openstack.versioned import Field, Versioned, render

V1, V7, V10, V39 = (Microversion(1, number) for number in (0, 7, 10, 39))


def negotiated(header: str | None) -> str:
    headers = {} if header is None else {"openstack-api-version": header}
    return str(negotiate(headers, service_type="placement", oldest=V1, newest=V39))


class TestNegotiate:
    @pytest.mark.parametrize(
        ("header", "version"),
        [
            (None, "1.0"),
            ("", "1.0"),
            (",", "1.0"),
            ("placement", "1.0"),
            ("1.7", "1.0"),
            ("compute 2.1", "1.0"),
            ("placements 1.7", "1.0"),
            ("placement latest", "1.39"),
            ("placement 1.7", "1.7"),
            ("PlaceMent 1.7", "1.7"),
            ("  placement   1.7  ", "1.7"),
            ("placement 01.7", "1.7"),
            ("placement 1.10", "1.10"),
            ("compute 2.1, placement 1.7", "1.7"),
            ("placement 1.7,compute 2.90,identity", "1.7"),
            ("placement 1.3, placement 1.7", "1.7"),
            ("placement pony, placement 1.7", "1.7"),
        ],
    )
    def test_the_last_entry_for_the_service_counts(self, header, version):
        assert negotiated(header) == version

    @pytest.mark.parametrize("text", ["0.9", "0.99", "1.40", "1.100", "2.0", "2.7", "-1.0", "1.-1"])
    def test_two_numbers_that_are_no_version_are_not_acceptable(self, text):
        with pytest.raises(VersionUnacceptable, match=f"^{text}$"):
            negotiated(f"placement {text}")

    @pytest.mark.parametrize(
        "text",
        [
            "pony.horse",
            "1",
            "1.",
            ".7",
            ".",
            "1.2.3",
            "LATEST",
            "Latest",
            "1,",
            "v1.7",
            "1.7b",
            "1/7",
            "1.7 1.8",
            "\xb9.7",
        ],
    )
    def test_anything_else_cannot_be_read(self, text):
        with pytest.raises(VersionUnparsable):
            negotiated(f"placement {text}")

    def test_a_number_without_end_cannot_be_read(self):
        """Python refuses to read integers of more than some thousand digits."""
        with pytest.raises(VersionUnparsable):
            negotiated(f"placement 1.{'9' * 10_000}")


class TestMicroversion:
    def test_ten_comes_after_nine(self):
        """LP #1675143: as decimal fractions 1.10 would be 1.1."""
        shuffled = [Microversion(1, 10), Microversion(2, 0), Microversion(1, 1), Microversion(1, 9), Microversion(1, 2)]

        assert list(map(str, sorted(shuffled))) == ["1.1", "1.2", "1.9", "1.10", "2.0"]

    def test_what_is_said_of_it_does_not_make_it_another(self):
        assert Microversion(1, 7, "Something new.") == Microversion(1, 7)


class TestVersioned:
    TABLE = Versioned({V1: "list", V7: "map"})

    @pytest.mark.parametrize(
        ("version", "entry"),
        [(V1, "list"), (Microversion(1, 6), "list"), (V7, "map"), (V10, "map"), (V39, "map")],
    )
    def test_holds_the_newest_entry_that_is_there(self, version, entry):
        assert self.TABLE.at(version) == entry

    def test_has_nothing_before_its_first_entry(self):
        with pytest.raises(LookupError, match=r"Nothing holds at 1\.0"):
            Versioned({V7: "map"}).at(V1)

    @pytest.mark.parametrize("entries", [{}, {V7: "map", V1: "list"}], ids=["empty", "reversed"])
    def test_a_wrong_table_does_not_load(self, entries):
        with pytest.raises(ValueError, match="must be in order"):
            Versioned(entries)


class TestRender:
    FIELDS = (Field("name", str), Field("parent", lambda source: None, since=V7), Field("size", len, since=V10))

    @pytest.mark.parametrize(
        ("version", "keys"),
        [(V1, ["name"]), (V7, ["name", "parent"]), (V39, ["name", "parent", "size"])],
    )
    def test_shows_the_fields_that_are_there(self, version, keys):
        document = render(self.FIELDS, "host", version)

        assert list(document) == keys
        assert document["name"] == "host"
