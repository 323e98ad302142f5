"""An operator's ``policy.yaml``: read, and judged before it may decide anything.

``oslo.policy`` reads on past most faults: it logs a rule that it cannot parse and takes it for "nobody", and others
only fail in the middle of a request. Here a faulty file is refused as a whole, with its lines named.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from oslo_policy import policy as oslo

REMOTE_KINDS = frozenset({"http", "https"})
"""Checks that ask another server."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Fault:
    line: int
    """0 for what is wrong with the file as a whole."""
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


class BrokenPolicyFile(Exception):
    """The file cannot be used. ``faults`` says why, in the order of its lines."""

    def __init__(self, path: str, faults: Collection[Fault]) -> None:
        self.path = path
        self.faults = sorted(set(faults))
        super().__init__(f"{path}: {'; '.join(map(str, self.faults))}")


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyFile:
    """The rules of a file by name, and the line on which each stands."""

    path: str
    rules: Mapping[str, str]
    lines: Mapping[str, int]


def read(path: str, defaults: Mapping[str, str]) -> PolicyFile:
    """The file at ``path``. ``defaults``: the rules that hold where the file says nothing.

    Raises BrokenPolicyFile, also when there is no such file.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenPolicyFile(path, [Fault(0, f"cannot be read ({error})")]) from error
    faults: list[Fault] = []
    rules, lines = _entries(path, text, faults)
    merged = {**defaults, **rules}
    for name, rule in rules.items():
        faults += [Fault(lines[name], f"{name}: {why}") for why in _faults_of(rule, merged)]
    if not faults:
        faults += [Fault(lines[name], f"{name}: refers to itself") for name in rules if _is_circular(name, merged)]
    if faults:
        raise BrokenPolicyFile(path, faults)
    return PolicyFile(path, rules, lines)


def leaves(check: Any) -> Iterator[Any]:
    """The single checks of a rule, without the and, or, not around them."""
    if isinstance(check, oslo.NotCheck):
        yield from leaves(check.rule)
    elif isinstance(check, oslo.AndCheck | oslo.OrCheck):
        for part in check.rules:
            yield from leaves(part)
    elif isinstance(check, oslo.Check):
        yield check


def parse(rule: str) -> tuple[Any, list[str]]:
    """The rule as a tree of checks, and what the parser had to say about it: nothing, if it understood all of it."""
    with _listening_to_the_parser() as complaints:
        return oslo.RuleDefault("unnamed", rule).check, complaints


def _entries(path: str, text: str, faults: list[Fault]) -> tuple[dict[str, str], dict[str, int]]:
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise BrokenPolicyFile(path, [Fault(line, f"not YAML ({error.problem})")]) from error
    except yaml.YAMLError as error:
        raise BrokenPolicyFile(path, [Fault(0, f"not YAML ({error})")]) from error
    rules: dict[str, str] = {}
    lines: dict[str, int] = {}
    if document is None or document.tag == "tag:yaml.org,2002:null":
        return rules, lines
    if not isinstance(document, yaml.MappingNode):
        raise BrokenPolicyFile(path, [Fault(1, 'must be lines of the form "rule name": "who"')])
    for key, value in document.value:
        line = key.start_mark.line + 1
        name = str(key.value)
        if not isinstance(key, yaml.ScalarNode):
            faults.append(Fault(line, "a rule's name must be a text"))
        elif name in rules:
            faults.append(Fault(line, f"{name}: stands twice, first on line {lines[name]}"))
        elif not isinstance(value, yaml.ScalarNode) or value.tag != "tag:yaml.org,2002:str":
            # A value that was forgotten is null, and oslo.policy takes null for "everybody".
            faults.append(Fault(line, f'{name}: must be a text in quotation marks; "@" is everybody, "!" nobody'))
        else:
            rules[name], lines[name] = value.value, line
    return rules, lines


def _faults_of(rule: str, known: Collection[str]) -> Iterator[str]:
    check, complaints = parse(rule)
    yield from complaints
    for leaf in leaves(check):
        if isinstance(leaf, oslo.RuleCheck):
            if leaf.match not in known:
                yield f"there is no rule {leaf.match!r}"
        elif leaf.kind not in REMOTE_KINDS:
            try:
                leaf(_Anything(), {"roles": []}, None)
            except Exception as error:
                yield f"cannot judge '{leaf}' ({error})"


def _is_circular(name: str, rules: Mapping[str, str]) -> bool:
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        for leaf in leaves(parse(rules[ahead.pop()])[0]):
            if not isinstance(leaf, oslo.RuleCheck):
                continue
            if leaf.match == name:
                return True
            if leaf.match in rules and leaf.match not in seen:
                seen.add(leaf.match)
                ahead.append(leaf.match)
    return False


class _Anything(dict[str, str]):
    """A target that has every key."""

    def __missing__(self, key: str) -> str:
        return ""


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage().replace("Failed to understand rule", "cannot understand", 1))


@contextlib.contextmanager
def _listening_to_the_parser() -> Iterator[list[str]]:
    """The parser tells its log, and nobody else, what it did not understand."""
    log = logging.getLogger("oslo_policy._parser")
    handler = _Complaints()
    log.addHandler(handler)
    propagate, log.propagate = log.propagate, False
    try:
        yield handler.texts
    finally:
        log.propagate = propagate
        log.removeHandler(handler)
