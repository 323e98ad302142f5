"""Two spellings of a uuid are never two rows."""

import uuid

import pytest

from claimsite.foundation.uuids import canonical_or_same, canonical_uuid, new_uuid

CANONICAL = "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"


class TestCanonicalUuid:
    @pytest.mark.parametrize(
        "spelling",
        [
            CANONICAL,
            CANONICAL.upper(),
            CANONICAL.replace("-", ""),
            CANONICAL.replace("-", "").upper(),
            f"{{{CANONICAL}}}",
            f"urn:uuid:{CANONICAL}",
            f"uuid:{CANONICAL}",
            f"{{urn:uuid:{CANONICAL.upper()}}}",
            CANONICAL.replace("-", "").replace("4d53", "-4d5-3-"),
        ],
    )
    def test_every_accepted_spelling_is_one(self, spelling):
        """LP #1758057."""
        assert canonical_uuid(spelling) == CANONICAL
        assert canonical_or_same(spelling) == CANONICAL

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "-" * 36,
            "pony",
            CANONICAL[:-1],
            CANONICAL + "0",
            CANONICAL + "\n",
            CANONICAL.replace("-", "") + "\n",
            " " + CANONICAL,
            CANONICAL.replace("6", "g"),
            CANONICAL.replace("6f2b", "\uff16f2b"),
            CANONICAL.replace("6f2b", "6_2b"),
            f"0x{CANONICAL.replace('-', '')[2:]}",
            "\0" * 36,
            "İ" * 32,
        ],
    )
    def test_what_is_none_is_told_apart_and_finds_nothing(self, text):
        assert canonical_uuid(text) is None
        assert canonical_or_same(text) == text

    def test_agrees_with_pythons_own(self):
        for _ in range(100):
            made = uuid.uuid4()
            assert canonical_uuid(made.hex) == canonical_uuid(made.urn) == str(made)

    def test_new_ones_are_canonical_and_different(self):
        made = [new_uuid() for _ in range(100)]

        assert len(set(made)) == 100
        assert [canonical_uuid(text) for text in made] == made
