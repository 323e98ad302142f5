import pytest
from django.contrib.auth import get_user_model

from claimsite.operations import operator

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    return tmp_path


class TestTheOperatorsLogin:
    def test_a_fresh_site_gets_one_that_may_do_everything(self):
        login = operator.ensure()

        user = get_user_model().objects.get(username="operator")
        assert user.is_superuser
        assert user.check_password(login.password)

    def test_the_password_is_kept_where_only_the_owner_can_read_it(self, var):
        login = operator.ensure()

        assert login.file == var / "operator-password"
        assert login.file.read_text().strip() == login.password
        assert login.file.stat().st_mode & 0o777 == 0o600

    def test_a_second_run_tells_the_same_password(self):
        assert operator.ensure() == operator.ensure()

    def test_an_emptied_site_gets_the_same_password_again(self):
        first = operator.ensure()
        get_user_model().objects.all().delete()

        assert operator.ensure() == first

    def test_a_password_that_somebody_changed_is_theirs(self):
        operator.ensure()
        user = get_user_model().objects.get(username="operator")
        user.set_password("my own")
        user.save()

        login = operator.ensure()

        assert login.password is None
        user.refresh_from_db()
        assert user.check_password("my own")
