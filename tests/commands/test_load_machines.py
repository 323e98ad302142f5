import io
import json

import pytest
from django.core.management import CommandError, call_command

from claimsite.machines.reading import DATA
from ironic_app.models import Node, Port
from placement_app.models import Inventory, ProviderTrait, ResourceProvider
from tests import builders
from tests.builders import A_UUID
from tests.ironic.builders import make_node

pytestmark = pytest.mark.django_db

NODES = (
    "sn,cpu_milli,memory_mib,gpu,model\nnode-0,32000,262144,0,\nnode-1,96000,393216,8,G2\nnode-2,64000,131072,2,T4\n"
)


@pytest.fixture
def nodes(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    return path


def machine(name, **changes):
    return {
        "name": name,
        "site": "grenoble",
        "cluster": "chartreuse2",
        "arch": "x86_64",
        "threads": 40,
        "cores": 20,
        "ram_mb": 32768,
        "disks": [{"gb": 1200, "interface": "SAS", "type": "HDD"}],
        "nics": [{"enabled": True, "gbps": 10, "interface": "Ethernet", "mac": "02:de:68:cf:91:ef"}],
    } | changes


@pytest.fixture
def bare_metal(tmp_path):
    cards = [
        {"enabled": True, "gbps": 10, "interface": "Ethernet", "mac": "02:de:68:cf:91:f0"},
        {"enabled": True, "gbps": 100, "interface": "Omni-Path", "mac": "02:de:68:cf:91:f1"},
    ]
    path = tmp_path / "bare-metal.jsonl"
    path.write_text("\n".join(map(json.dumps, [machine("chartreuse2-1"), machine("chartreuse2-2", nics=cards)])))
    return path


def load(*arguments):
    output = io.StringIO()
    call_command("load_machines", *map(str, arguments), stdout=output, stderr=io.StringIO())
    return output.getvalue()


def stock(name):
    rows = Inventory.objects.filter(provider__name=name)
    return {row.resource_class_id: row.total for row in rows}


def generations():
    return dict(ResourceProvider.objects.values_list("name", "generation"))


class TestLoadMachines:
    def test_a_machine_becomes_a_provider_with_what_it_has(self, nodes):
        load(nodes)

        assert stock("node-0") == {"VCPU": 32, "MEMORY_MB": 262144}
        assert stock("node-1") == {"VCPU": 96, "MEMORY_MB": 393216, "CUSTOM_GPU_MILLI": 8000}

    def test_shares_of_a_gpu_are_hundredths_and_nobody_gets_more_than_the_machine(self, nodes):
        load(nodes)

        gpus = Inventory.objects.get(provider__name="node-1", resource_class__name="CUSTOM_GPU_MILLI")
        assert (gpus.step_size, gpus.max_unit) == (10, 8000)

    def test_the_gpu_model_is_a_trait_and_an_aggregate(self, nodes):
        load(nodes)

        node = ResourceProvider.objects.get(name="node-2")
        assert list(node.provider_traits.values_list("trait__name", flat=True)) == ["CUSTOM_GPU_MODEL_T4"]
        assert node.aggregates.count() == 1

    def test_a_bare_metal_machine_has_its_disks_whole_gpus_and_qualities(self):
        load(DATA / "grid5000-nodes.jsonl.gz")

        assert stock("drac-10") == {
            "CUSTOM_DRAC": 1,
            "VCPU": 160,
            "MEMORY_MB": 131072,
            "DISK_GB": 2000,
            "PGPU": 4,
        }
        traits = set(ProviderTrait.objects.filter(provider__name="drac-10").values_list("trait__name", flat=True))
        assert traits >= {"HW_ARCH_PPC64LE", "STORAGE_DISK_HDD", "CUSTOM_CLUSTER_DRAC", "CUSTOM_SITE_GRENOBLE"}
        assert traits >= {"CUSTOM_GPU_MODEL_TESLA_P100_SXM2_16GB", "CUSTOM_NETWORK_INFINIBAND"}
        assert ResourceProvider.objects.get(name="drac-10").aggregates.count() == 3

    def test_loading_again_changes_nothing(self, nodes):
        load(nodes)
        before = generations()

        told = load(nodes)

        assert told == "3 machines: 0 new, 0 corrected, 3 as they were.\n"
        assert generations() == before

    def test_a_machine_that_grew_is_corrected_and_its_generation_moves(self, nodes):
        load(nodes)
        before = generations()
        nodes.write_text(NODES.replace("32000", "48000"))

        told = load(nodes)

        assert told == "3 machines: 0 new, 1 corrected, 2 as they were.\n"
        assert stock("node-0")["VCPU"] == 48
        assert generations() == before | {"node-0": before["node-0"] + 1}

    def test_what_others_gave_a_provider_stays(self, nodes):
        load(nodes)
        node = ResourceProvider.objects.get(name="node-0")
        builders.inventory(node, "DISK_GB", total=100)
        ProviderTrait.objects.create(provider=node, trait_id="HW_CPU_X86_VMX")
        Inventory.objects.filter(provider=node, resource_class__name="VCPU").update(
            total=16, reserved=2, allocation_ratio=4.0, used=7
        )

        load(nodes)

        assert stock("node-0") == {"VCPU": 32, "MEMORY_MB": 262144, "DISK_GB": 100}
        cpus = Inventory.objects.get(provider=node, resource_class__name="VCPU")
        assert (cpus.reserved, cpus.allocation_ratio, cpus.used) == (2, 4.0, 7)
        assert node.provider_traits.count() == 1

    def test_a_provider_of_that_name_is_the_machine(self, nodes):
        known = builders.provider(name="node-0", vcpu=32)

        load(nodes)

        assert ResourceProvider.objects.get(name="node-0").uuid == known.uuid
        assert stock("node-0") == {"VCPU": 32, "MEMORY_MB": 262144}

    def test_a_machine_that_was_renamed_here_keeps_its_name(self, nodes):
        load(nodes)
        ResourceProvider.objects.filter(name="node-0").update(name="rack-1")

        told = load(nodes)

        assert told == "3 machines: 0 new, 0 corrected, 3 as they were.\n"
        assert ResourceProvider.objects.filter(name="rack-1").exists()

    def test_a_dry_run_says_what_would_be_and_changes_nothing(self, nodes):
        told = load(nodes, "--dry-run")

        assert told == "Would be: 3 machines: 3 new, 0 corrected, 0 as they were. Nothing was changed.\n"
        assert not ResourceProvider.objects.exists()

    def test_json_is_one_document(self, nodes):
        told = json.loads(load(nodes, "--json"))

        assert told["command"] == "load_machines"
        assert told["summary"] == {
            "created": 3,
            "changed": 0,
            "unchanged": 0,
            "nodes": {"created": 0, "changed": 0, "unchanged": 0},
            "ports": {"created": 0, "unchanged": 0},
        }


class TestLoadingBareMetal:
    def test_counts_nodes_and_ports_too(self, bare_metal):
        told = json.loads(load(bare_metal, "--json"))

        assert told["summary"] == {
            "created": 2,
            "changed": 0,
            "unchanged": 0,
            "nodes": {"created": 2, "changed": 0, "unchanged": 0},
            "ports": {"created": 3, "unchanged": 0},
        }

    def test_loading_again_changes_nothing(self, bare_metal):
        load(bare_metal)
        nodes, providers = list(Node.objects.values()), generations()

        told = load(bare_metal)

        assert told == (
            "2 machines: 0 new, 0 corrected, 2 as they were. "
            "2 nodes: 0 new, 0 corrected, 2 as they were; 0 new ports.\n"
        )
        assert (list(Node.objects.values()), generations()) == (nodes, providers)

    def test_a_dry_run_says_what_would_be_and_changes_nothing(self, bare_metal):
        told = load(bare_metal, "--dry-run")

        assert told == (
            "Would be: 2 machines: 2 new, 0 corrected, 0 as they were. "
            "2 nodes: 2 new, 0 corrected, 0 as they were; 3 new ports. Nothing was changed.\n"
        )
        assert not Node.objects.exists()
        assert not ResourceProvider.objects.exists()

    def test_all_the_machines_that_come_with_the_project_are_enrolled(self):
        load(DATA / "grid5000-nodes.jsonl.gz")

        assert (Node.objects.count(), Port.objects.count()) == (939, 1486)
        assert set(Node.objects.values_list("uuid")) == set(ResourceProvider.objects.values_list("uuid"))

    def test_a_network_card_that_another_node_has_is_told(self, bare_metal):
        other = make_node()
        Port.objects.create(uuid=A_UUID, node=other, address="02:de:68:cf:91:ef")

        with pytest.raises(CommandError, match="A port with MAC address 02:de:68:cf:91:ef already exists"):
            load(bare_metal)

        assert list(Node.objects.all()) == [other]

    def test_a_card_that_comes_twice_in_the_file_is_a_fault(self, bare_metal):
        bare_metal.write_text(json.dumps(machine("chartreuse2-1")) + "\n" + json.dumps(machine("chartreuse2-2")))

        with pytest.raises(CommandError, match=f"02:de:68:cf:91:ef is already in {bare_metal}:1"):
            load(bare_metal)

    @pytest.mark.parametrize("name", ["two words", "a/b"])
    def test_a_name_that_no_node_can_have_is_a_fault(self, bare_metal, name):
        bare_metal.write_text(json.dumps(machine(name)))

        with pytest.raises(CommandError, match="not a host name"):
            load(bare_metal)


class TestAFileThatCannotBeLoaded:
    def test_a_faulty_row_is_named_and_nothing_of_any_file_is_loaded(self, nodes, tmp_path):
        faulty = tmp_path / "faulty.csv"
        faulty.write_text(NODES.replace("node", "other").replace("96000", "many"))

        with pytest.raises(CommandError) as refusal:
            load(nodes, faulty)

        assert str(refusal.value) == (
            f"{faulty}:3: cpu_milli is 'many', not a whole number\n1 faulty rows: nothing was loaded."
        )
        assert not ResourceProvider.objects.exists()

    def test_json_names_the_faults_too(self, nodes):
        nodes.write_text(NODES + ",1000,1,0,\n")
        output = io.StringIO()

        with pytest.raises(CommandError):
            call_command("load_machines", str(nodes), "--json", stdout=output)

        assert json.loads(output.getvalue())["faults"] == [{"file": str(nodes), "line": 5, "text": "sn is empty"}]

    @pytest.mark.parametrize("text", ["what is this\n", ""])
    def test_an_unknown_format_is_refused(self, nodes, text):
        nodes.write_text(text)

        with pytest.raises(CommandError, match="neither a CSV of openb nor a JSONL"):
            load(nodes)

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(CommandError, match="No such file"):
            load(tmp_path / "nowhere.csv")
