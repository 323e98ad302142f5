"""How things are shown on the operators' pages."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template

from claimsite.foundation.admin import charts, lists, show

NOW = datetime(2026, 11, 30, 11, 20, 4, tzinfo=UTC)


class TestTimes:
    @pytest.mark.parametrize(
        ("age", "told"),
        [
            (timedelta(0), "0 s ago"),
            (timedelta(seconds=59), "59 s ago"),
            (timedelta(minutes=2, seconds=59), "2 min ago"),
            (timedelta(hours=23), "23 h ago"),
            (timedelta(days=3, hours=5), "3 d ago"),
            (timedelta(seconds=-1), "just now"),
            (timedelta(hours=-2), "in 2 h"),
        ],
    )
    def test_are_told_relative_to_now(self, age, told):
        assert show.relative(NOW - age, NOW) == told

    def test_are_exact_on_hover_whatever_zone_they_came_in(self):
        elsewhere = NOW.astimezone(tz=None)

        assert 'title="2026-11-30T11:20:04Z"' in show.ago(elsewhere, NOW)

    def test_that_never_were_are_a_dash(self):
        assert "–" in show.ago(None)


class TestBars:
    @pytest.mark.parametrize(
        ("used", "capacity", "word", "percent", "width"),
        [
            (0, 10, "free", "0 %", 0),
            (1, 1000, "free", "0 %", 1),
            (8, 10, "high", "80 %", 80),
            (999, 1000, "high", "99 %", 99),
            (10, 10, "full", "100 %", 100),
            (11, 10, "over", "110 %", 100),
            (1, 0, "over", "∞", 100),
            (0, 0, "none", "0 %", 0),
            (5, 7.5, "free", "66 %", 67),
        ],
    )
    def test_never_round_towards_the_comfortable(self, used, capacity, word, percent, width):
        fullness = show.Fullness(used, capacity)

        assert (fullness.word, fullness.percent, fullness.width) == (word, percent, width)

    def test_are_read_without_being_seen(self):
        bar = show.bar(9, 8, "SRIOV_NET_VF")

        assert 'role="progressbar"' in bar
        assert 'aria-label="SRIOV_NET_VF 9 of 8 used"' in bar
        assert "OVER" in bar


class TestSizes:
    @pytest.mark.parametrize(
        ("name", "used", "capacity", "text"),
        [
            ("MEMORY_MB", 512, 8192, "512 / 8,192"),
            ("MEMORY_MB", 38912, 253952, "38 / 248 GiB"),
            ("MEMORY_MB", 42850159, 612028416, "40.9 / 584 TiB"),
            ("DISK_GB", 190, 2000, "190 / 2,000"),
            ("DISK_GB", 1536, 24000, "1.5 / 23.4 TiB"),
            ("VCPU", 13804, 125514, "13,804 / 125,514"),
        ],
    )
    def test_are_told_in_units_that_can_be_read(self, name, used, capacity, text):
        assert show.scaled(name, used, capacity) == text

    def test_are_exact_on_hover(self):
        assert 'title="38,912 of 253,952"' in show.bar(38912, 253952, "MEMORY_MB")


class TestNames:
    def test_of_strangers_are_no_markup(self):
        evil = "<script>alert(1)</script>"

        shown = [show.uuid(evil), show.chip(evil), show.bar(1, 2, evil), show.lines([evil]), show.document({"a": evil})]

        assert not any("<script>" in text for text in shown)

    def test_are_short_and_copy_whole(self):
        uuid = "4f6e78e1-0000-4000-8000-000000000000"

        shown = show.uuid(uuid)

        assert ">4f6e78e1<" in shown
        assert f'data-copy="{uuid}"' in shown

    def test_are_longer_where_two_begin_alike(self):
        one, other = "dead0000-0001-4000-8000-000000000000", "dead0000-0002-4000-8000-000000000000"

        assert (show.digits([one, one, None, ""]), show.digits([one, other])) == (8, 13)
        assert ">dead0000-0001<" in show.uuid(one, digits=13)

    def test_lead_nowhere_where_nobody_made_a_page(self):
        template = Template("{% load claimsite %}{% page 'nothing_of_the_kind' 7 as url %}[{{ url }}]")

        assert template.render(Context()) == "[]"


class TestNumbers:
    @pytest.mark.parametrize(
        ("number", "text"),
        [(1234567, "1,234,567"), (1.0, "1"), (1.5, "1.50"), (show.AtLeast(1000), "more than 1,000"), ("x", "x")],
    )
    def test_are_grouped(self, number, text):
        assert show.number(number) == text


class TestBeginningsOfUuids:
    @pytest.mark.parametrize(
        ("typed", "start"),
        [
            ("4f6e", "4f6e"),
            ("4F6E78E1A751", "4f6e78e1-a751"),
            ("4f6e78e1-a7", "4f6e78e1-a7"),
            ("{4f6e78e1", "4f6e78e1"),
            ("4f6", ""),
            ("cmp-07", ""),
            ("", ""),
        ],
    )
    def test_are_spelt_as_in_the_table(self, typed, start):
        assert lists.uuid_start(typed) == start


class TestColumnsOverTime:
    def test_put_each_count_where_it_belongs(self):
        counts = [(NOW - timedelta(minutes=50), 2), (NOW - timedelta(minutes=48), 1), (NOW, 4)]

        chart = charts.over_time("x", counts, start=NOW - timedelta(hours=1), end=NOW, step=timedelta(minutes=15))

        assert list(chart.values) == [3, 0, 0, 4]
        assert (chart.total, chart.most) == (7, 4)
        assert chart.labels[0] == "10:20"

    def test_of_nothing_are_flat(self):
        chart = charts.over_time("x", [], start=NOW - timedelta(days=7), end=NOW, step=timedelta(hours=6))

        assert len(chart.bars) == 28
        assert {bar["height"] for bar in chart.bars} == {0}
