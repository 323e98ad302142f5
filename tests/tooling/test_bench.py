"""What the benchmark makes of its figures. The measuring itself is run by ``make bench``."""

from collections import Counter

import pytest

from bench import document, report
from bench.measuring import Round, Row
from bench.results import Results


def measured(per_second, milliseconds=10.0, **what):
    return Round(
        per_second=per_second,
        milliseconds=[milliseconds] * 20,
        server_cpu=2.0,
        database_cpu=1.0,
        others=0.5,
        statuses=Counter({204: 20}),
        **what,
    )


def results(*rows):
    facts = {
        "date": "2026-11-30",
        "minutes": 12.0,
        "cores": 2,
        "processor": "P",
        "postgresql": "15",
        "python": "3.11",
        "load_before": (0.1,),
        "load_after": (2.0,),
    }
    return Results(facts, rows=list(rows))


class TestRow:
    def test_reaches_its_goal_by_the_median_of_ratios(self):
        row = Row("S1", "claims", 10.0, peer=[measured(10)] * 3, site=[measured(90), measured(120), measured(300)])

        assert report.cells(row)[4:7] == ["9.00 / 12.0 / 30.0", "≥ 10", "yes"]

    def test_reaches_it_in_both_respects_or_not_at_all(self):
        row = Row("N1", "a node", 10.0, 20.0, peer=[measured(10, 100.0)], site=[measured(200, 10.0)])

        assert report.cells(row)[5:7] == ["≥ 10, p95 ≤ 1/20", "50%"]

    def test_is_wrong_whatever_its_speed_if_the_site_was(self):
        row = Row("S3", "race", 1.0, peer=[measured(1)], site=[measured(9, fault="101 winners")])

        assert report.cells(row)[6] == "WRONG"
        assert results(row).is_wrong

    def test_is_compared_in_the_rounds_that_both_ran(self):
        row = Row("S3", "race", 1.0, peer=[measured(10)], site=[measured(20), measured(1000)])

        assert row.ratios == [2.0]


class TestDocument:
    def test_puts_its_tables_between_the_marks_and_leaves_the_rest(self, tmp_path):
        page = tmp_path / "speed.md"
        page.write_text(f"# Speed\n\n{document.BEGIN}\nold\n{document.END}\n\nWhy.\n")
        row = Row("S1", "claims", 10.0, peer=[measured(10)], site=[measured(90)])

        document.put(results(row), page)
        document.put(results(row), page)

        text = page.read_text()
        assert text.startswith("# Speed")
        assert text.endswith("Why.\n")
        assert text.count("| S1 | claims |") == 1
        assert "old" not in text

    def test_names_what_could_not_be_measured(self):
        found = results()
        found.missing.append("N: no such package")

        assert "- N: no such package" in document.text(found)

    def test_refuses_a_page_without_the_marks(self, tmp_path):
        page = tmp_path / "speed.md"
        page.write_text("# Speed\n")

        with pytest.raises(ValueError, match="lacks the lines"):
            document.put(results(), page)
