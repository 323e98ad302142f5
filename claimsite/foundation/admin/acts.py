"""What operators can do, each act behind a page that shows the evidence first.

Three colours (and plain edits). *Green* can only add protection: one click to confirm. *Amber* frees something or takes
it from somebody: evidence, a reason, and the name or the last four of the uuid typed in. *Red* is an act that the
state of things forbids: no button, but what must happen first. Whatever the colour, an act is carried out on what the
operator saw, or not at all: the page carries the generations it was made from, and the service compares them.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.db.models import Model

from claimsite.foundation.admin import rights
from claimsite.foundation.errors import DomainError
from claimsite.foundation.origin import Origin

if TYPE_CHECKING:
    from claimsite.foundation.admin.pages import ReadOnlyModelAdmin

MOST_AT_ONCE = 20
"""Nothing is done to whole lists: clean-ups that could have are what operators fear."""


class Colour(enum.StrEnum):
    GREEN = "green"
    AMBER = "amber"
    EDIT = "edit"
    """Says what shall be. Nothing is taken from anybody, so nothing needs typing; the generation seen still counts."""


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """What an operator is shown of one target before acting on it."""

    title: str
    seen: str
    """The generations that this was read at, as the act understands them."""
    facts: Sequence[tuple[str, Any]] = ()
    effect: str = ""
    """What will be different afterwards, in a sentence."""
    passwords: Sequence[str] = ()
    """What may be typed to say that this very thing is meant: its name, the last four digits of its uuid."""


class ChangedSinceSeen(Exception):
    """The page that the act came from shows what is no longer so. Nothing was done."""


class ActForm(forms.Form):
    """What every act asks for; its own fields come before these."""

    reason = forms.CharField(
        max_length=255, required=False, help_text="Kept with your name in the history.", label="Why"
    )
    typed = forms.CharField(max_length=255, required=False, label="To confirm")

    def __init__(self, *args: Any, act: Act, passwords: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.passwords = {password.lower() for password in passwords}
        self.order_fields([*(name for name in self.fields if name not in {"reason", "typed"}), "reason", "typed"])
        if act.colour is Colour.AMBER:
            self.fields["reason"].required = self.fields["typed"].required = True
            typed = self.fields["typed"]
            typed.help_text = (
                "Type " + " or ".join(f"“{password}”" for password in passwords) + ": the button waits for it."
            )
            typed.widget.attrs |= {"data-passwords": "\n".join(sorted(self.passwords)), "autocomplete": "off"}
        else:
            self.fields["reason"].label = "Why (optional)"
            del self.fields["typed"]

    def clean_typed(self) -> str:
        typed = self.cleaned_data["typed"].strip()
        if typed.lower() not in self.passwords:
            raise forms.ValidationError("This is not what is meant: nothing was done.")
        return typed


class Act:
    """One thing that operators can do to the objects of a page. Subclasses say what; the view is ``act_views``."""

    name: ClassVar[str]
    label: ClassVar[str]
    colour: ClassVar[Colour]
    right: ClassVar[str] = rights.OPERATE
    for_many: ClassVar[bool] = False
    form_class: ClassVar[type[ActForm]] = ActForm
    form_template: ClassVar[str] = "admin/claimsite/act_form.html"
    stale: ClassVar[tuple[type[DomainError], ...]] = ()
    """The refusals which mean that the target is not what was seen any more."""

    def __init__(self, page: ReadOnlyModelAdmin) -> None:
        self.page = page

    def may(self, user: Any) -> bool:
        return user.has_perm(self.right)

    def applies_to(self, target: Any) -> bool:
        """Whether the act makes sense for the target at all; if not, nothing is said of it."""
        return True

    def blockers(self, target: Any) -> Sequence[str]:
        """What must happen first. Any makes the act a red one for this target: no button."""
        return ()

    def evidence(self, target: Any) -> Evidence:
        raise NotImplementedError

    def initial(self, target: Any) -> dict[str, Any]:
        """What the act's own fields hold at first; ``target`` is the first of them."""
        return {}

    def form_arguments(self, target: Any) -> dict[str, Any]:
        return {}

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        """One call of a service verb; what was done, as a sentence. Raises DomainError, ChangedSinceSeen."""
        raise NotImplementedError

    def what_changed(self, target: Any, seen: str) -> str:
        """Who changed the target since, and when, as a sentence."""
        return f"{target} is not what it was."

    def command(self, target: Any) -> str:
        """The same act in a terminal; empty if there is none."""
        return ""

    def passwords(self, evidences: Sequence[Evidence]) -> Sequence[str]:
        return evidences[0].passwords if len(evidences) == 1 else [f"{self.name} {len(evidences)}"]


def generation(seen: str) -> int:
    """The one generation that a page was made from. Raises ChangedSinceSeen if the page didn't say."""
    try:
        return int(seen)
    except ValueError:
        raise ChangedSinceSeen from None


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    target: Model
    done: bool
    text: str
