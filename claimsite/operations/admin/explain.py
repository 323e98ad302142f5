"""Why would this request not land here? The search, explained step by step, with a form."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from claimsite.foundation.errors import DomainError
from claimsite.foundation.uuids import canonical_uuid
from claimsite.operations import explaining
from placement_app.candidates import explain, search
from placement_app.candidates.limits import Bounds
from placement_app.candidates.request import SearchRequest
from placement_app.models import ResourceProvider

SHOWN_CANDIDATES = 10


class ExplainForm(forms.Form):
    """The parts of a common request, and a line for whole queries."""

    resources = forms.CharField(
        required=False, help_text="What is asked for: VCPU:4, MEMORY_MB:8192", label="Amounts", max_length=2000
    )
    required = forms.CharField(
        required=False,
        help_text="Names; ! in front forbids one: HW_CPU_X86_AVX2, !CUSTOM_SLOW",
        label="Traits",
        max_length=4000,
    )
    member_of = forms.CharField(required=False, help_text="Its uuid.", label="In aggregate", max_length=36)
    in_tree = forms.CharField(
        required=False, help_text="Name or uuid of any provider of the tree.", label="In the tree of", max_length=200
    )
    query = forms.CharField(
        required=False,
        max_length=8000,
        label="Or a whole query",
        help_text="As clients send it, from a log: resources1=VCPU:2&required1=HW_CPU_X86_AVX2&group_policy=none",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )

    def clean_resources(self) -> str:
        text: str = self.cleaned_data["resources"]
        meant = explaining.amounts_meant(text)
        if meant and meant != "".join(text.split()):
            raise forms.ValidationError(f"Write {meant}")
        return text

    def clean_in_tree(self) -> str:
        text = self.cleaned_data["in_tree"].strip()
        if not text or canonical_uuid(text):
            return text
        provider = ResourceProvider.objects.filter(name=text.replace("\0", "")).first()
        if provider is None:
            raise forms.ValidationError("No provider of this name.")
        return provider.uuid

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        query = data.get("query", "").strip()
        parts = {
            name: "".join(data.get(name, "").split()) for name in ("resources", "required", "member_of", "in_tree")
        }
        typed = "&".join(f"{name}={quote(value, safe=':,!')}" for name, value in parts.items() if value)
        if not query and not parts["resources"] and not self.errors:
            raise forms.ValidationError("Say what is asked for: amounts, or a whole query.")
        data["text"] = "&".join(part for part in (query, typed) if part)
        return data


def view(request: HttpRequest) -> HttpResponse:
    # Only a tree, say, is a question that is still to be asked: its form is filled in, not judged.
    is_asked = bool(request.GET.get("resources") or request.GET.get("query"))
    form = ExplainForm(request.GET) if is_asked else ExplainForm(initial=request.GET.dict())
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "Why would it not land?",
        "subtitle": None,
        "form": form,
        "is_asked": form.is_bound,
    }
    if form.is_bound and form.is_valid():
        context |= _answer(form)
    return TemplateResponse(request, "admin/operations/explain.html", context)


def _answer(form: ExplainForm) -> dict[str, Any]:
    text = form.cleaned_data["text"]
    try:
        wanted = explaining.request_of(text)
        explained = explain.explain(wanted)
        candidates = _candidates(wanted) if explained.roots_with_candidates else []
    except (explaining.Unreadable, DomainError) as error:
        form.add_error(None, str(error))
        return {}
    return {
        "explained": explained,
        "candidates": candidates,
        "misses": [{"root": miss.root, "lacks": [str(lack) for lack in miss.lacks]} for miss in explained.nearest],
        "text": text,
        "command": _command(text),
    }


def _candidates(wanted: SearchRequest) -> list[dict[str, Any]]:
    """Where it would land now: the first few, of many hosts."""
    found = search.find(wanted, Bounds(limit=SHOWN_CANDIDATES))
    return [
        {
            "root": candidate.anchor,
            "amounts": [(provider, dict(amounts)) for provider, amounts in candidate.amounts.items()],
        }
        for candidate in found.candidates
    ]


def _command(text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"manage.py explain '{quoted}'"
