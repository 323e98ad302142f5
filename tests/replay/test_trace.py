import pytest

from claimsite.machines.reading import DATA
from claimsite.replay import trace

HEADER = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"


@pytest.fixture
def write(tmp_path):
    def write(*rows):
        path = tmp_path / "pods.csv"
        path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
        return path

    return write


class TestReadingATrace:
    def test_a_started_core_counts_as_a_whole_one(self, write):
        (request,) = trace.read(write("pod-1,3152,16384,0,0,,LS"))

        assert request.resources == {"VCPU": 4, "MEMORY_MB": 16384}

    def test_a_share_of_a_gpu_is_asked_for_in_thousandths(self, write):
        (request,) = trace.read(write("pod-1,6000,12288,1,460,,LS"))

        assert request.resources["CUSTOM_GPU_MILLI"] == 460

    def test_whole_gpus_are_so_many_thousands(self, write):
        (request,) = trace.read(write("pod-1,6000,12288,8,1000,,LS"))

        assert request.resources["CUSTOM_GPU_MILLI"] == 8000

    def test_alternative_gpu_models_become_alternative_traits(self, write):
        (request,) = trace.read(write("pod-1,6000,12288,1,1000,V100M16|V100M32,LS"))

        assert request.any_of == ("CUSTOM_GPU_MODEL_V100M16", "CUSTOM_GPU_MODEL_V100M32")

    def test_the_same_request_is_the_same_consumer_each_time(self, write):
        path = write("pod-1,6000,12288,0,0,,LS", "pod-2,6000,12288,0,0,,LS")

        first, again = trace.read(path), trace.read(path)

        assert [request.consumer for request in first] == [request.consumer for request in again]
        assert first[0].consumer != first[1].consumer

    def test_the_limit_takes_the_first(self, write):
        path = write(*(f"pod-{number},1000,1,0,0,," for number in range(5)))

        assert [request.name for request in trace.read(path, limit=2)] == ["pod-0", "pod-1"]

    @pytest.mark.parametrize(
        ("row", "fault"),
        [
            ("pod-2,x,1,0,0,,", "3: cpu_milli is 'x', not a whole number"),
            ("pod-2,0,0,0,0,,", "3: pod-2 wants nothing"),
            ("pod-2,1,1,1,1001,,", "3: gpu_milli is 1001, not between 0 and 1000"),
            ("pod-2", "3: num_gpu is missing, not a whole number"),
        ],
    )
    def test_a_bad_row_is_named_with_its_line(self, write, row, fault):
        path = write("pod-1,1000,1,0,0,,", row)

        with pytest.raises(trace.BadTrace) as error:
            trace.read(path)

        assert str(error.value) == f"{path}:{fault}"

    def test_a_file_with_other_columns_is_no_trace(self):
        with pytest.raises(trace.BadTrace, match="it has no column gpu_milli, gpu_spec, name"):
            trace.read(DATA / "openb-nodes.csv")

    def test_the_trace_that_comes_with_the_project_is_whole(self):
        requests = trace.read(DATA / "openb-pods.csv.gz")

        assert len(requests) == 8152
        assert len({request.consumer for request in requests}) == 8152
