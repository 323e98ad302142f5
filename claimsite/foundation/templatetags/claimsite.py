"""``show`` for templates: {{ event.created_at|ago }}, {% uuid consumer.uuid url %}, {% bar used capacity "VCPU" %}."""

from django import template
from django.urls import NoReverseMatch, reverse

from claimsite.foundation.admin import show

register = template.Library()
register.filter("ago", show.ago)
register.filter("clock", show.clock)
register.filter("amounts", show.amounts)
register.filter("number", show.number)
register.simple_tag(show.uuid, name="uuid")
register.simple_tag(show.bar, name="bar")
register.simple_tag(show.share, name="share")
register.simple_tag(show.chip, name="chip")
register.simple_tag(show.copy, name="copy")


@register.simple_tag
def page(model: str, key: object) -> str:
    """The address of a thing's page: ``{% page "placement_app_consumer" consumer.pk as url %}``; empty if none has."""
    if not key:
        return ""
    try:
        return reverse(f"admin:{model}_change", args=[key])
    except NoReverseMatch:
        return ""


@register.inclusion_tag("admin/claimsite/command.html")
def command(text: str) -> dict[str, str]:
    """A page's command for the terminal, with a button that copies it."""
    return {"text": text}
