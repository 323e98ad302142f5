import gzip
import json

import pytest

from claimsite.machines import reading
from claimsite.machines.record import Disk, NetworkCard

OPENB = "sn,cpu_milli,memory_mib,gpu,model\n"
NODE = {
    "name": "chartreuse2-1",
    "site": "grenoble",
    "cluster": "chartreuse2",
    "arch": "x86_64",
    "threads": 40,
    "cores": 20,
    "ram_mb": 32768,
    "cpu_model": "Intel Xeon E5-2640 v4",
    "virtualization": False,
    "disks": [{"gb": 1200, "interface": "SAS", "type": "HDD"}, {"gb": 800, "interface": "SATA", "type": "SSD"}],
    "gpus": {"A40": 2},
    "nics": [{"enabled": True, "gbps": 10, "interface": "Ethernet", "mac": "02:DE:68:CF:91:EF"}],
}


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def faults(path):
    return [(fault.line, fault.text) for fault in reading.read([path]).faults]


class TestReadingOpenb:
    def test_reads_a_machine_with_shared_gpus(self, write):
        path = write("nodes.csv", OPENB + "openb-node-0001,96000,393216,8,G2\n")

        (machine,) = reading.read([path]).machines

        assert (machine.source, machine.name) == ("openb", "openb-node-0001")
        assert (machine.cpus, machine.memory_mb, machine.gpus) == (96, 393216, {"G2": 8})
        assert machine.gpus_are_shared

    def test_a_machine_without_gpus_has_no_model(self, write):
        path = write("nodes.csv", OPENB + "openb-node-0000,32000,262144,0,\n")

        (machine,) = reading.read([path]).machines

        assert machine.gpus == {}

    def test_a_part_of_a_core_is_not_a_core(self, write):
        path = write("nodes.csv", OPENB + "openb-node-0000,32999,262144,0,\n")

        (machine,) = reading.read([path]).machines

        assert machine.cpus == 32

    def test_the_whole_file_is_judged_not_only_its_first_fault(self, write):
        path = write("nodes.csv", OPENB + "a,many,1,0,\nb,2000,1,0,\nc,2000,-1,0,\n")

        assert faults(path) == [
            (2, "cpu_milli is 'many', not a whole number"),
            (4, "memory_mib is '-1', not a whole number"),
        ]

    @pytest.mark.parametrize(
        ("row", "fault"),
        [
            ("a,2000,1,0", "expected the 5 columns sn, cpu_milli, memory_mib, gpu, model"),
            ("a,2000,1,0,,more", "expected the 5 columns sn, cpu_milli, memory_mib, gpu, model"),
            (",2000,1,0,", "sn is empty"),
            ("a,999,1,0,", "cpu_milli is 999, not between 1000 and 2147483647"),
            ("a,2000,2147483648,0,", "memory_mib is 2147483648, not between 1 and 2147483647"),
            ("a,2_000,1,0,", "cpu_milli is '2_000', not a whole number"),
            ("a,2000,1,2,", "2 GPUs of model '': either both or neither"),
            ("a,2000,1,0,T4", "0 GPUs of model 'T4': either both or neither"),
            (f"{'a' * 201},2000,1,0,", "sn is longer than 200 characters"),
        ],
    )
    def test_says_what_is_wrong_with_a_row(self, write, row, fault):
        assert faults(write("nodes.csv", f"{OPENB}{row}\n")) == [(2, fault)]


class TestReadingGrid5000:
    def test_reads_all_that_the_document_says(self, write):
        path = write("nodes.jsonl", json.dumps(NODE) + "\n")

        (machine,) = reading.read([path]).machines

        assert (machine.source, machine.name, machine.site) == ("grid5000", "chartreuse2-1", "grenoble")
        assert (machine.cpus, machine.cores, machine.memory_mb, machine.disk_gb) == (40, 20, 32768, 2000)
        assert machine.gpus == {"A40": 2}
        assert not machine.gpus_are_shared
        assert machine.disks[0] == Disk(gb=1200, kind="HDD", interface="SAS")
        assert machine.cards == (NetworkCard(mac="02:de:68:cf:91:ef", gbps=10, interface="Ethernet", enabled=True),)
        assert machine.virtualization == ""

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            ({"threads": 0}, "threads is 0, not between 1 and 2147483647"),
            ({"threads": True}, "threads is True, not a whole number"),
            ({"ram_mb": None}, "ram_mb is missing, not a whole number"),
            ({"gpus": ["A40"]}, "gpus is not an object of model and number"),
            ({"disks": [1]}, "disks is not a list of objects"),
            ({"disks": [{"gb": 1, "type": "tape"}]}, "type of a disk is 'tape', neither HDD nor SSD"),
            ({"nics": [{"mac": "02:de", "interface": "Ethernet"}]}, "mac is '02:de', not six bytes in hexadecimal"),
            ({"site": 7}, "site is 7, not a text"),
        ],
    )
    def test_says_what_is_wrong_with_a_document(self, write, change, fault):
        path = write("nodes.jsonl", json.dumps(NODE | {"name": "fine"}) + "\n\n" + json.dumps(NODE | change))

        assert faults(path) == [(3, fault)]

    def test_a_line_that_is_not_json_is_named(self, write):
        path = write("nodes.jsonl", json.dumps(NODE) + "\n{oops\n")

        ((line, text),) = faults(path)

        assert line == 2
        assert text.startswith("not JSON: ")


class TestReading:
    def test_a_compressed_file_is_read_as_it_is(self, tmp_path):
        path = tmp_path / "nodes.csv.gz"
        path.write_bytes(gzip.compress(f"{OPENB}a,2000,1,0,\n".encode()))

        assert [machine.name for machine in reading.read([path]).machines] == ["a"]

    def test_a_name_that_comes_twice_is_a_fault_also_across_files(self, write):
        first = write("first.csv", OPENB + "a,2000,1,0,\n")
        second = write("second.csv", OPENB + "b,2000,1,0,\na,2000,1,0,\n")

        result = reading.read([first, second])

        assert [str(fault) for fault in result.faults] == [f"{second}:3: a is already in {first}:2"]

    @pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "# machines\n"])
    def test_a_file_of_another_format_is_refused(self, write, text):
        path = write("nodes.txt", text)

        with pytest.raises(reading.UnknownFormat, match="neither a CSV of openb nor a JSONL"):
            reading.read([path])

    def test_a_file_that_is_not_text_is_refused(self, tmp_path):
        path = tmp_path / "nodes.csv"
        path.write_bytes(b"\xff\xfe\x00")

        with pytest.raises(reading.UnknownFormat, match="can't be read as text"):
            reading.read([path])

    def test_the_machines_that_come_with_the_project_are_without_fault(self):
        result = reading.read([reading.DATA / "openb-nodes.csv", reading.DATA / "grid5000-nodes.jsonl.gz"])

        assert result.faults == []
        assert len(result.machines) == 1523 + 939
