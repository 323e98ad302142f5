from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from claimsite.foundation import statements

_PARAMETER = "\0parameter"
_Converters = Sequence[tuple[int, Sequence[Callable[[Any, Any, Any], Any]], Any]]


class Prepared:
    """A query with one parameter, put into SQL once and run as often as one likes.

    Django puts a query into SQL anew each time, which for a row as wide as a node's costs as much as all the rest of
    a request. ``query`` is the parameter's way to the rows that are wanted; it decides nothing by its value.
    """

    def __init__(self, query: Callable[[str], QuerySet[Any, Any]]) -> None:
        self._query = query
        self._by_vendor: dict[str, tuple[str, Sequence[Any], _Converters]] = {}

    def rows(self, parameter: str) -> list[tuple[Any, ...]]:
        """What is found, as tuples in the order of the query's columns (of the model's fields if it names none)."""
        prepared = self._by_vendor.get(connection.vendor)
        if prepared is None:
            prepared = self._by_vendor[connection.vendor] = self._prepare()
        sql, parameters, converters = prepared
        found = statements.rows(sql, [parameter if each == _PARAMETER else each for each in parameters])
        return [_converted(row, converters) for row in found]

    def _prepare(self) -> tuple[str, Sequence[Any], _Converters]:
        compiler = self._query(_PARAMETER).query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        converters = compiler.get_converters([expression for expression, *_ in compiler.select])
        return sql, parameters, [(column, chain, expression) for column, (chain, expression) in converters.items()]


def _converted(row: tuple[Any, ...], converters: _Converters) -> tuple[Any, ...]:
    values = list(row)
    for column, chain, expression in converters:
        for convert in chain:
            values[column] = convert(values[column], expression, connection)
    return tuple(values)
