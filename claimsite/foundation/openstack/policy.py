"""Who may call what, by the field's own rule names and in the field's own policy language (``oslo.policy``).

Each service has an ``Enforcer`` with its rules. An operator overrides rules in ``CLAIMSITE_POLICY_FILE``; one file may
serve both services. It is read again within a second of being changed; a faulty one never replaces a good one.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.core.signals import setting_changed

from claimsite.foundation.openstack.auth import Caller

if TYPE_CHECKING:
    from oslo_policy import policy as oslo

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS_AT_THE_FILE = 1.0
_MOST_DECISIONS = 10_000
_scope = attrgetter("scope")


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """What holds where the operator says nothing."""

    name: str
    check: str
    description: str
    operations: tuple[str, ...] = ()
    """What it guards, as ``GET /traits``. A rule that only others refer to guards nothing itself."""
    formerly: str | None = None
    """An older default that is also good enough, unless POLICY_ENFORCE_NEW_DEFAULTS."""
    scopes: tuple[str, ...] = ("project",)
    """The kinds of token that may call at all: ``project``, ``system``, ``domain``."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Guard:
    """What a decision by one rule depends on, so that no two requests that differ in it share a decision."""

    credentials: Callable[[Caller], object]
    target: tuple[str, ...] = ()
    is_remote: bool = False


@dataclasses.dataclass(slots=True)
class _Book:
    """The rules in force, and what has been decided by them so far."""

    rules: oslo.Enforcer | None
    guards: Mapping[str, _Guard]
    stamp: object
    decisions: dict[object, bool] = dataclasses.field(default_factory=dict)


class Enforcer:
    """The rules of one service."""

    all: ClassVar[dict[str, Enforcer]] = {}
    """Every enforcer by its service, for the start-up checks."""

    def __init__(self, service: str, rules: Sequence[Rule]) -> None:
        self.service = service
        self.rules = {rule.name: rule for rule in rules}
        if len(self.rules) != len(rules):
            raise ValueError(f"Two rules of {service} have the same name.")
        self._book: _Book | None = None
        self._looks_again_at = 0.0
        self._lock = threading.Lock()
        Enforcer.all[service] = self

    def allows(self, rule: str, caller: Caller, target: Mapping[str, Any]) -> bool:
        """Whether ``caller`` may do what ``rule`` guards to ``target``.

        ``target`` is flat: ``%(node.owner)s`` reads its key ``node.owner``. A key that is missing or None fits nobody.
        Raises KeyError for a rule that the service does not have.
        """
        book = self._book
        if book is None or time.monotonic() > self._looks_again_at:
            book = self._look_at_the_file()
        guard = book.guards[rule]
        key = (rule, guard.credentials(caller), tuple(map(target.get, guard.target)) if guard.target else ())
        decision = book.decisions.get(key)
        if decision is None:
            decision = self._decide(book, rule, caller, target)
            if not guard.is_remote:
                if len(book.decisions) >= _MOST_DECISIONS:
                    book.decisions.clear()
                book.decisions[key] = decision
        return decision

    def load(self) -> None:
        """Read the operator's file now. Raises BrokenPolicyFile."""
        self.forget()
        stamp = _stamp(settings.POLICY_FILE)
        self._book = self._write_book(stamp)
        self._looks_again_at = time.monotonic() + _SECONDS_BETWEEN_LOOKS_AT_THE_FILE

    def forget(self) -> None:
        """Start over at the next question."""
        self._book = None

    # --- what is in force -------------------------------------------------------------------------------------------
    def _look_at_the_file(self) -> _Book:
        from claimsite.foundation.openstack import policy_file

        with self._lock:
            book = self._book
            self._looks_again_at = time.monotonic() + _SECONDS_BETWEEN_LOOKS_AT_THE_FILE
            stamp = _stamp(settings.POLICY_FILE)
            if book is not None and book.stamp == stamp:
                return book
            try:
                self._book = self._write_book(stamp)
            except policy_file.BrokenPolicyFile as error:
                if book is None:
                    # Start-up checks keep a server from coming this far.
                    logger.error("Nobody may call %s before its policy file is mended: %s", self.service, error)
                    self._book = _Book(None, dict.fromkeys(self.rules, _Guard(_scope)), stamp)
                else:
                    logger.error("The changed policy file is not used, the rules read before stay: %s", error)
                    self._book = dataclasses.replace(book, stamp=stamp)
            return self._book

    def _write_book(self, stamp: object) -> _Book:
        # Imported here: it takes a third of a second, which a command that answers no requests need not spend.
        from oslo_config import cfg
        from oslo_policy import policy as oslo

        from claimsite.foundation.openstack import policy_file

        file = policy_file.read(settings.POLICY_FILE or os.devnull, defaults())
        conf = cfg.ConfigOpts()
        conf([], project="claimsite", default_config_files=[], default_config_dirs=[])
        # What has been judged is what it gets: by now the file itself may have changed again.
        overrides = oslo.Rules.from_dict(dict(file.rules))
        rules = oslo.Enforcer(conf, policy_file=os.devnull, rules=overrides, overwrite=False)
        rules.file_rules = {name: oslo.RuleDefault(name, rule) for name, rule in file.rules.items()}
        conf.set_override("policy_dirs", [], group="oslo_policy")
        conf.set_override("enforce_new_defaults", settings.POLICY_ENFORCE_NEW_DEFAULTS, group="oslo_policy")
        # The file may speak of the other service's rules too, and references have been judged already.
        rules.skip_undefined_check = True
        rules.suppress_default_change_warnings = rules.suppress_deprecation_warnings = True
        rules.register_defaults([_as_default(rule) for rule in self.rules.values()])
        rules.load_rules()
        # From here on it answers without looking at the file: that is done here, and not at every question.
        rules.use_conf = False
        return _Book(rules, {name: _guard(rules, name) for name in self.rules}, stamp)

    def _decide(self, book: _Book, rule: str, caller: Caller, target: Mapping[str, Any]) -> bool:
        if book.rules is None:
            return False
        credentials = {name: value for name, value in caller.credentials().items() if value is not None}
        known = {name: value for name, value in target.items() if value is not None}
        try:
            return bool(book.rules.enforce(rule, known, credentials))
        except Exception:
            logger.exception("Rule %s could not be judged, so it was not allowed", rule)
            return False


def of_all_services() -> Mapping[str, Enforcer]:
    """Every enforcer by its service."""
    # The services bring their rules with their views.
    import_module(settings.ROOT_URLCONF)
    return Enforcer.all


def load_all() -> None:
    """Every service's rules, so that no request has to wait for them. Raises BrokenPolicyFile."""
    for enforcer in of_all_services().values():
        enforcer.load()


def defaults() -> dict[str, str]:
    """The default of every rule of every service."""
    return {rule.name: rule.check for enforcer in of_all_services().values() for rule in enforcer.rules.values()}


def _as_default(rule: Rule) -> oslo.RuleDefault:
    from oslo_policy import policy as oslo

    older = rule.formerly and oslo.DeprecatedRule(
        rule.name, rule.formerly, deprecated_reason="An older default.", deprecated_since="1"
    )
    return oslo.RuleDefault(rule.name, rule.check, rule.description, older or None, scope_types=list(rule.scopes))


def _guard(rules: oslo.Enforcer, name: str) -> _Guard:
    """What the rule of this name and all that it refers to read of the caller and of the target."""
    from oslo_policy import policy as oslo

    from claimsite.foundation.openstack import policy_file

    credentials: set[str] = set()
    target = _Reading()
    is_remote = False
    ahead, seen = [name], {name}
    while ahead:
        for leaf in policy_file.leaves(rules.rules[ahead.pop()]):
            if isinstance(leaf, oslo.RuleCheck):
                if leaf.match not in seen:
                    seen.add(leaf.match)
                    ahead.append(leaf.match)
            else:
                is_remote |= leaf.kind in policy_file.REMOTE_KINDS
                credentials.add("roles" if leaf.kind == "role" else leaf.kind.partition(".")[0])
                _ = leaf.match % target
    # What else a rule may name, no caller has.
    asked = credentials & {field.name for field in dataclasses.fields(Caller)}
    return _Guard(attrgetter("scope", *sorted(asked)), tuple(sorted(target.names)), is_remote)


class _Reading(dict[str, str]):
    """A target that has every key, and notes which were read."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __missing__(self, key: str) -> str:
        self.names.add(key)
        return ""


def _stamp(path: str) -> object:
    """Changes when the file does."""
    if not path:
        return None
    try:
        status = os.stat(path)
    except OSError:
        return "missing"
    return status.st_mtime_ns, status.st_size, status.st_ino


def _settings_changed(*, setting: str, **_: Any) -> None:
    if setting.startswith("POLICY_"):
        for enforcer in Enforcer.all.values():
            enforcer.forget()


setting_changed.connect(_settings_changed)
