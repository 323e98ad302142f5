"""Every schema of the API, fed with documents that nearly fit: both validators must agree."""

import copy
import importlib
import pkgutil
import random
import re
from typing import Any

import jsonschema
import pytest

from claimsite.foundation.openstack.bodies import FORMATS, Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features, schemas

UUID = "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"


def all_schemas() -> list[tuple[str, Schema]]:
    """Every schema of the API by module, table and version."""
    found: dict[str, Schema] = {}
    for module_info in pkgutil.iter_modules(schemas.__path__):
        module = importlib.import_module(f"{schemas.__name__}.{module_info.name}")
        for name, value in vars(module).items():
            if isinstance(value, Schema):
                found[f"{module_info.name}.{name}"] = value
            elif isinstance(value, Versioned):
                for version in features_in_order():
                    try:
                        schema = value.at(version)
                    except LookupError:
                        continue
                    if isinstance(schema, Schema) and schema not in found.values():
                        found[f"{module_info.name}.{name} {version}"] = schema
    return list(found.items())


def features_in_order():
    return sorted({version for version in vars(features).values() if type(version) is type(features.BASE)})


class TestEverySchema:
    """What the compiled validator accepts, the library accepts too: it is the one that clients were written against."""

    WORDS = (UUID, UUID.upper(), "VCPU", "CUSTOM_X", "1", "VCPU:1", "resources", "resources1", "required_A", "in_tree1")
    HOSTILE: tuple[Any, ...] = (
        None,
        True,
        False,
        0,
        -1,
        1,
        1.0,
        1.5,
        2**31 - 1,
        2**31,
        1e30,
        -0.0,
        "",
        "1",
        "VCPU",
        "VCPU\n",
        "CUSTOM_X",
        "vcpu",
        "a" * 200,
        "a" * 256,
        UUID,
        UUID.upper(),
        UUID.replace("-", ""),
        f"{UUID}\n",
        "in:a,b",
        "true",
        [],
        [UUID, UUID],
        [UUID, UUID.upper()],
        ["A", "A"],
        [1, True],
        {},
        {"VCPU": 1},
        {"VCPU\n": 1},
        {UUID: {"resources": {"VCPU": 1}}},
    )

    @pytest.mark.parametrize(
        ("name", "schema"), all_schemas(), ids=lambda value: value if isinstance(value, str) else ""
    )
    def test_accepts_no_more_than_the_library(self, name, schema):
        library = jsonschema.Draft202012Validator(schema.definition, format_checker=FORMATS)
        dice = random.Random(name)
        accepted = 0

        for _ in range(400):
            data = self.document(schema.definition, dice)
            if dice.random() < 0.8:
                data = self.damaged(data, dice)
            complaint = schema.complaint(data)
            is_valid = library.is_valid(data)
            if complaint is None:
                accepted += 1
                assert is_valid, data
            elif is_valid:
                assert "\\n" in repr(data), (data, complaint)

        assert accepted > 10

    def document(self, schema, dice):
        """Something that fits the schema, more or less."""
        if "anyOf" in schema or "oneOf" in schema:
            return self.document(dice.choice(schema.get("anyOf") or schema["oneOf"]), dice)
        if "enum" in schema:
            return dice.choice(schema["enum"])
        kinds = schema.get("type", "string")
        match kinds if isinstance(kinds, str) else dice.choice(kinds):
            case "object":
                return self.object(schema, dice)
            case "array":
                items = schema.get("items", {})
                return [self.document(items, dice) for _ in range(dice.choice([schema.get("minItems", 0), 1, 2]))]
            case "integer" | "number":
                return dice.choice([schema.get("minimum", 0), schema.get("maximum", 7), 1, 1.0])
            case "null":
                return None
            case "boolean":
                return True
        if schema.get("format") == "uuid":
            return UUID
        return dice.choice([word for word in self.WORDS if re.search(schema.get("pattern", ""), word)])

    def object(self, schema, dice):
        required = schema.get("required", [])
        data = {
            name: self.document(value, dice)
            for name, value in schema.get("properties", {}).items()
            if name in required or dice.random() < 0.5
        }
        for pattern, value in schema.get("patternProperties", {}).items():
            names = [word for word in self.WORDS if re.search(pattern, word)]
            for name in dice.sample(names, k=min(1, len(names))):
                data[name] = self.document(value, dice)
        return data

    def damaged(self, data, dice):
        """The same with one value replaced, one key added or one left out."""
        data = copy.deepcopy(data)
        places: list[tuple[Any, Any]] = [(None, None)]
        ahead = [data]
        while ahead:
            node = ahead.pop()
            keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []
            places += [(node, key) for key in keys]
            ahead += [node[key] for key in keys]
        node, key = dice.choice(places)
        if node is None:
            return dice.choice(self.HOSTILE)
        how = dice.choice(["replace", "replace", "rename", "drop"])
        if how == "drop":
            del node[key]
        elif how == "rename" and isinstance(node, dict):
            node[dice.choice(["VCPU\n", "vcpu", "", f"{UUID}\n", f"{key}\n", "extra"])] = node.pop(key)
        else:
            node[key] = dice.choice(self.HOSTILE)
        return data
