import pytest
from django.core.management import call_command

from placement_app.models import ResourceClass, ResourceProvider, Trait
from placement_app.services import standards
from tests import builders


@pytest.mark.django_db(transaction=True)
class TestFlush:
    def test_leaves_an_empty_site_that_knows_the_standard_names(self):
        builders.provider(vcpu=8, custom_gold=1, traits=("HW_CPU_X86_VMX",))

        call_command("flush", interactive=False, verbosity=0)

        assert not ResourceProvider.objects.exists()
        assert list(ResourceClass.objects.values_list("name", flat=True)) == list(standards.standard_resource_classes())
        assert list(Trait.objects.values_list("name", flat=True)) == list(standards.standard_traits())

    def test_the_site_takes_claims_again_afterwards(self, api):
        call_command("flush", interactive=False, verbosity=0)
        host = builders.provider(vcpu=8)

        response = api.put("/allocations/11111111-1111-1111-1111-111111111111", builders.claim({host: {"VCPU": 2}}))

        assert response.status_code == 204
