"""Who may what: viewers, operators, administrators, strangers."""

from datetime import UTC, datetime

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.urls import reverse

from claimsite.foundation.admin import rights
from claimsite.foundation.admin.acts import Colour
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.admin.site import OperatorSite
from tests.admin.acting import text_of
from tests.admin.conftest import client_of, operator
from tests.builders import provider

GUARDED = [(model, page) for model, page in admin.site._registry.items() if isinstance(page, ReadOnlyModelAdmin)]
NAMES = [model._meta.label for model, _ in GUARDED]
ACTS = [(page, act) for _, page in GUARDED for act in page.bound_acts]
ACT_NAMES = [f"{page.opts.label} {act.name}" for page, act in ACTS]


class TestGroups:
    @pytest.mark.parametrize(
        ("group", "rights"),
        [
            ("view", {"view"}),
            ("operate", {"view", "operate"}),
            ("administer", {"view", "operate", "administer"}),
        ],
    )
    def test_are_there_with_their_rights_once_migrated(self, db, group, rights):
        granted = Group.objects.get(name=group).permissions.filter(content_type__app_label="foundation")

        assert set(granted.values_list("codename", flat=True)) == rights

    def test_let_nobody_in_who_is_no_staff(self, db):
        user = User.objects.create_user("somebody")
        user.groups.add(Group.objects.get(name="administer"))

        response = client_of(user).get(reverse("admin:index"))

        assert reverse("admin:login") in response["Location"]

    def test_are_needed_to_see_anything(self, db):
        client = client_of(User.objects.create_user("newcomer", is_staff=True))

        for page in ["placement_app_consumer_changelist", "find", *[page.name for page in OperatorSite.pages]]:
            assert client.get(reverse(f"admin:{page}")).status_code == 403

    def test_are_what_a_newcomer_is_told_to_ask_for(self, db):
        provider(name="cmp-07", vcpu=4)

        page = text_of(client_of(User.objects.create_user("newcomer", is_staff=True)).get(reverse("admin:index")))

        assert "You have no rights here yet." in page
        assert "VCPU" not in page


class TestGuardedTables:
    @pytest.mark.parametrize(("model", "page"), GUARDED, ids=NAMES)
    def test_have_no_form_to_add_change_or_delete_not_even_for_superusers(self, db, rf, model, page):
        request = rf.get("/")
        request.user = User.objects.create_superuser("root")

        assert not page.has_add_permission(request)
        assert not page.has_change_permission(request)
        assert not page.has_delete_permission(request)
        assert "delete_selected" not in page.get_actions(request)

    @pytest.mark.parametrize(("model", "page"), GUARDED, ids=NAMES)
    def test_answer_no_one_who_tries_all_the_same(self, administrator, model, page):
        assert administrator.post(f"{page.list_url}add/", {}).status_code in {403, 404}
        assert administrator.post(f"{page.list_url}1/delete/", {"post": "yes"}).status_code in {302, 403, 404}
        assert administrator.post(f"{page.list_url}1/change/", {}).status_code == 405

    @pytest.mark.parametrize(("model", "page"), GUARDED, ids=NAMES)
    def test_are_hidden_from_strangers(self, anonymous, model, page):
        assert reverse("admin:login") in anonymous.get(page.list_url).url
        assert reverse("admin:login") in anonymous.get(f"{page.list_url}export/").url

    @pytest.mark.parametrize(("model", "page"), GUARDED, ids=NAMES)
    def test_know_no_act_by_another_name(self, administrator, model, page):
        assert administrator.get(f"{page.list_url}act/nonsense/?target=1").status_code == 404


class TestActs:
    @pytest.mark.parametrize(("page", "act"), ACTS, ids=ACT_NAMES)
    def test_are_closed_to_whoever_lacks_the_right(self, viewer, operator_client, page, act):
        url = f"{page.list_url}act/{act.name}/?target=1"

        assert viewer.get(url).status_code == viewer.post(url).status_code == 403
        if act.right == rights.ADMINISTER:
            assert operator_client.get(url).status_code == operator_client.post(url).status_code == 403

    @pytest.mark.parametrize(("page", "act"), ACTS, ids=ACT_NAMES)
    def test_want_a_reason_and_the_name_typed_where_they_free_something(self, page, act):
        fields = act.form_class(act=act, passwords=["name"]).fields

        assert ("typed" in fields) is (act.colour is Colour.AMBER)
        assert fields["reason"].required is (act.colour is Colour.AMBER)


class TestOperators:
    def test_are_seen_by_all_and_made_by_administrators(self, viewer, operator_client, administrator):
        add = reverse("admin:auth_user_add")

        assert viewer.get(reverse("admin:auth_user_changelist")).status_code == 200
        assert viewer.get(add).status_code == 403
        assert operator_client.get(add).status_code == 403
        assert administrator.get(add).status_code == 200

    def test_were_here_last_at_a_time_that_reads_like_all_others(self, viewer):
        User.objects.update(last_login=datetime(2026, 11, 30, 17, 56, tzinfo=UTC))

        assert "2026-11-30 17:56:00 UTC" in text_of(viewer.get(reverse("admin:auth_user_changelist")))

    def test_are_put_into_groups_by_administrators(self, administrator):
        newcomer = User.objects.create_user("newcomer")
        view = Group.objects.get(name="view")

        administrator.post(
            reverse("admin:auth_user_change", args=[newcomer.pk]),
            {"username": "newcomer", "is_active": "on", "is_staff": "on", "groups": [view.pk]},
        )

        assert list(newcomer.groups.all()) == [view]
        assert User.objects.get(pk=newcomer.pk).is_staff

    def test_cannot_raise_themselves_to_superusers(self, db):
        user = operator("administer")

        client_of(user).post(
            reverse("admin:auth_user_change", args=[user.pk]),
            {"username": user.username, "is_active": "on", "is_staff": "on", "is_superuser": "on"},
        )

        assert not User.objects.get(pk=user.pk).is_superuser

    @pytest.mark.parametrize("page", ["auth_user_change", "auth_user_delete", "auth_user_password_change"])
    def test_cannot_touch_superusers(self, administrator, page):
        root = User.objects.create_superuser("root", password="secret")
        url = (
            f"/admin/auth/user/{root.pk}/password/"
            if page == "auth_user_password_change"
            else reverse(f"admin:{page}", args=[root.pk])
        )

        response = administrator.post(
            url, {"username": "root", "post": "yes", "password1": "tr0ub4dor&3", "password2": "tr0ub4dor&3"}
        )

        root.refresh_from_db()
        assert response.status_code == 403
        assert root.check_password("secret")

    def test_cannot_give_rights_to_groups(self, administrator):
        view = Group.objects.get(name="view")

        assert administrator.post(reverse("admin:auth_group_change", args=[view.pk]), {"name": "x"}).status_code == 403

    def test_leave_a_log_that_viewers_can_read_and_nobody_can_change(self, viewer, administrator):
        administrator.post(
            reverse("admin:auth_user_add"),
            {
                "username": "newcomer",
                "usable_password": "true",
                "password1": "tr0ub4dor&3x",
                "password2": "tr0ub4dor&3x",
            },
        )

        page = viewer.get(reverse("admin:admin_logentry_changelist")).content.decode()

        assert "newcomer" in page
        assert "administer-on-duty" in page
