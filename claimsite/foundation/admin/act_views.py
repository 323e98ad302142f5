"""The page of an act: evidence and form, then what became of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse

from claimsite.foundation.admin.acts import MOST_AT_ONCE, Act, ActForm, ChangedSinceSeen, Evidence, Outcome
from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Door, Origin

if TYPE_CHECKING:
    from claimsite.foundation.admin.pages import ReadOnlyModelAdmin

logger = logging.getLogger(__name__)


def origin(request: HttpRequest, reason: str = "") -> Origin:
    return Origin(
        door=Door.ADMIN,
        actor=request.user.get_username(),
        request_id=getattr(request, "request_id", ""),
        reason=reason,
    )


def view(page: ReadOnlyModelAdmin, request: HttpRequest, name: str) -> HttpResponse:
    act = next((act for act in page.bound_acts if act.name == name), None)
    if act is None:
        raise Http404(f"There is no act called {name}.")
    if not act.may(request.user):
        raise PermissionDenied
    if request.method not in {"GET", "HEAD", "POST"}:
        return HttpResponseNotAllowed(["GET", "POST"])
    keys = (request.POST if request.method == "POST" else request.GET).getlist("target")
    targets = [target for key in keys[: MOST_AT_ONCE + 1] if key and (target := page.get_object(request, key))]
    if refusal := _refusal(act, keys, targets):
        messages.warning(request, refusal)
        return HttpResponseRedirect(page.list_url)
    if request.method != "POST":
        return _ask(page, request, act, targets)
    return _act(page, request, act, targets)


def _refusal(act: Act, keys: Sequence[str], targets: Sequence[Model]) -> str:
    if len(keys) > MOST_AT_ONCE:
        return f"{act.label}: for {MOST_AT_ONCE} at most at once. Nothing was done."
    if not targets:
        return f"{act.label}: nothing chosen, or it is gone by now. Nothing was done."
    if len(targets) > 1 and not act.for_many:
        return f"{act.label}: one at a time. Nothing was done."
    return ""


def _ask(
    page: ReadOnlyModelAdmin,
    request: HttpRequest,
    act: Act,
    targets: Sequence[Model],
    form: ActForm | None = None,
    changed: str = "",
) -> HttpResponse:
    """The page that asks. After a refusal it shows what is so now, and asks anew."""
    blockers = {target.pk: list(act.blockers(target)) for target in targets}
    evidences = {target.pk: act.evidence(target) for target in targets}
    # Of several, those that can't be acted on now stay out of it; the rest need not wait for them.
    ready = [target for target in targets if not blockers[target.pk]]
    form = form or act.form_class(
        act=act,
        passwords=act.passwords([evidences[target.pk] for target in ready or targets]),
        initial=act.initial(targets[0]),
        **act.form_arguments(targets[0]),
    )
    context = {
        **page.admin_site.each_context(request),
        "title": act.label,
        "subtitle": str(targets[0]) if len(targets) == 1 else f"{len(targets)} {page.opts.verbose_name_plural}",
        "opts": page.opts,
        "act": act,
        "targets": [
            {"object": target, "evidence": evidences[target.pk], "blockers": blockers[target.pk]} for target in targets
        ],
        "is_blocked": not ready,
        "form": form,
        "changed": changed,
        "command": act.command(targets[0]) if len(targets) == 1 else "",
        "back": page.url_of(targets[0]) if len(targets) == 1 else page.list_url,
        "list_url": page.list_url,
        "media": page.media,
    }
    request.current_app = page.admin_site.name
    return TemplateResponse(request, "admin/claimsite/act.html", context, status=409 if changed else None)


def _act(page: ReadOnlyModelAdmin, request: HttpRequest, act: Act, targets: Sequence[Model]) -> HttpResponse:
    evidences: list[Evidence] = [act.evidence(target) for target in targets]
    form = act.form_class(request.POST, act=act, passwords=act.passwords(evidences), **act.form_arguments(targets[0]))
    if not form.is_valid():
        return _ask(page, request, act, targets, form)
    outcomes = [_one(page, request, act, target, form.cleaned_data) for target in targets]
    if len(outcomes) == 1 and not outcomes[0].done:
        again = page.get_object(request, str(targets[0].pk))
        if again is not None:
            return _ask(page, request, act, [again], changed=outcomes[0].text)
    for outcome in outcomes:
        (messages.success if outcome.done else messages.warning)(request, outcome.text)
    gone = len(targets) > 1 or page.get_object(request, str(targets[0].pk)) is None
    return HttpResponseRedirect(page.list_url if gone else page.url_of(targets[0]))


def _one(page: ReadOnlyModelAdmin, request: HttpRequest, act: Act, target: Any, data: dict[str, Any]) -> Outcome:
    """Each target in a transaction of its own: what is refused for one is done for the others."""
    seen = request.POST.get(f"seen-{target.pk}", "")
    if blockers := act.blockers(target):
        # The page had a button for it: so it was not so when it was read.
        changed = f"Changed since you looked: {act.what_changed(target, seen)}" if seen else f"{target}:"
        return Outcome(target, False, f"{changed} {' '.join(blockers)} Nothing was done.")
    try:
        text = act.perform(target, seen=seen, data=data, origin=origin(request, data.get("reason", "")))
    except ChangedSinceSeen:
        return Outcome(target, False, f"Changed since you looked: {act.what_changed(target, seen)} Nothing was done.")
    except act.stale:
        return Outcome(target, False, f"Changed since you looked: {act.what_changed(target, seen)} Nothing was done.")
    except DomainError as error:
        word = "Busy" if error.kind is Kind.UNAVAILABLE else "Refused"
        return Outcome(target, False, f"{word}: {error} Nothing was done.")
    _log(page, request, target, text, data.get("reason", ""))
    return Outcome(target, True, text)


def _log(page: ReadOnlyModelAdmin, request: HttpRequest, target: Any, text: str, reason: str) -> None:
    """Who did what, in the admin's own log. The act is done by now: failing here would say the contrary."""
    try:
        page.log_change(request, target, f"{text} Why: {reason}" if reason else text)
    except DatabaseError:
        logger.exception("%s by %s is done but not in the admin log", text, request.user)
