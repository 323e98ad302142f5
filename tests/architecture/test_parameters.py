"""Parameters of tests are the same whenever they are collected: several processes share the tests of a run by name."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
BY_CHANCE = {"new_uuid", "uuid4", "uuid1", "random", "randint", "choice", "now", "time"}


def parameters_by_chance(source: str) -> list[int]:
    """The lines on which a parameter comes out of a dice or a clock."""
    return [
        call.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "parametrize"
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and (getattr(call.func, "id", None) or getattr(call.func, "attr", None)) in BY_CHANCE
    ]


class TestParameters:
    def test_do_not_come_by_chance(self):
        strays = [
            f"{path.relative_to(TESTS)}:{line}"
            for path in TESTS.rglob("test_*.py")
            for line in parameters_by_chance(path.read_text())
        ]

        assert strays == []

    def test_that_would_are_seen(self):
        assert parameters_by_chance('@pytest.mark.parametrize("a", [f"x={new_uuid()}"])\ndef test(): ...') == [1]
