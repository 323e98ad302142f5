"""Who may what: viewers, operators, administrators, strangers."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.urls import reverse

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from tests.admin.conftest import client_of, operator

GUARDED = [(model, page) for model, page in admin.site._registry.items() if isinstance(page, ReadOnlyModelAdmin)]
NAMES = [model._meta.label for model, _ in GUARDED]


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

        response = client.get(reverse("admin:placement_app_consumer_changelist"))

        assert response.status_code == 403


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


class TestOperators:
    def test_are_seen_by_all_and_made_by_administrators(self, viewer, operator_client, administrator):
        add = reverse("admin:auth_user_add")

        assert viewer.get(reverse("admin:auth_user_changelist")).status_code == 200
        assert viewer.get(add).status_code == 403
        assert operator_client.get(add).status_code == 403
        assert administrator.get(add).status_code == 200

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
