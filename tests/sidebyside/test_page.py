"""The page that ``make side-by-side`` writes."""

from tests.sidebyside import page


def test_the_page_tells_every_declared_difference():
    assert page.told() == page.differences()
