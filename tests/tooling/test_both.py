"""The line that closes ``make test`` must count what both runs said."""

from collections import Counter

from tests import both


class TestClosingLine:
    def test_has_the_form_of_pytests_own(self):
        line = both.closing_line(Counter(passed=1230, failed=2, skipped=1), 61.2)

        assert line.strip("= ") == "2 failed, 1230 passed, 1 skipped in 61.20s"
        assert line.startswith("====")
        assert line.endswith("====")

    def test_says_when_nothing_ran(self):
        assert "no tests ran in 0.00s" in both.closing_line(Counter(), 0)


class TestMain:
    def test_adds_both_runs_up_and_fails_with_either(self, monkeypatch, capsys):
        runs = {"sqlite": (1, Counter(failed=1, passed=5), 2.0), "postgres": (0, Counter(passed=6), 3.0)}
        monkeypatch.setattr(both, "run", lambda database, arguments: runs[database])

        status = both.main([])

        assert status == 1
        assert capsys.readouterr().out.splitlines()[-1].strip("= ") == "1 failed, 11 passed in 5.00s"

    def test_counts_a_run_that_never_came_to_its_end(self, monkeypatch):
        class Broken:
            returncode = 4

        monkeypatch.setattr(both.subprocess, "run", lambda *arguments, **options: Broken)

        status, counts, _ = both.run("sqlite", [])

        assert status == 4
        assert counts == Counter(errors=1)

    def test_reads_pytests_own_report(self, tmp_path):
        report = tmp_path / "junit.xml"
        report.write_text(
            '<testsuites><testsuite errors="1" failures="2" skipped="3" tests="10" time="1.5"/></testsuites>'
        )

        assert both.read(report) == (Counter(errors=1, failed=2, skipped=3, passed=4), 1.5)
