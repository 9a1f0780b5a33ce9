"""Matchers: how a value may differ from its example.

Import the module and not its functions, several of which have the names of Python's own types:

>>> from contract import match
>>> body = {"id": match.int(7), "name": match.str("Alice"), "created": match.datetime()}

Examples are checked at once: one that its own matcher refuses is a ``ContractArgumentError``, which is a ``ValueError``. A
matcher without example gets one that is generated afresh each time the contract is exercised.

Source: matching rules of the Pact Specification, version 4.
"""

from __future__ import annotations

import builtins
import datetime as _datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from ._call import UNSET
from ._matcher import Generator, Matcher
from ._matcher import make as _make
from ._matcher import moment as _moment

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from decimal import Decimal

    from ._native import Unset

__tracebackhide__ = True

_T = TypeVar("_T")
_Text = builtins.str

_UuidFormat = Literal["simple", "lowercase", "uppercase", "urn"]
_StatusClass = Literal[
    "info", "success", "redirect", "client_error", "server_error", "non_error", "error"
]
_StateType = Literal["string", "integer", "decimal", "boolean", "raw"]
_FormatStyle = Literal["strftime", "java"]


def int(
    value: builtins.int | Unset = UNSET, /, *, min: builtins.int | None = None, max: builtins.int | None = None
) -> Matcher[builtins.int]:
    """Match a whole number.

    Without ``value`` one is generated from ``min`` to ``max``, both included (default: 0 and 10); with it, it must lie between
    them.
    """
    return _make("match.int", {"example": value, "min": min, "max": max})


def float(
    value: builtins.float | Decimal | Unset = UNSET, /, *, precision: builtins.int | None = None
) -> Matcher[builtins.float]:
    """Match a number that is written with a fraction: ``1.5`` and ``1.0``, but not ``2``.

    Without ``value`` one with ``precision`` digits in all is generated (default: 10). For numbers that JavaScript sends, which
    writes 2.0 as ``2``, use :func:`number`.
    """
    return _make("match.float", {"example": value, "precision": precision})


def number(
    value: builtins.float | Decimal | Unset = UNSET,
    /,
    *,
    min: builtins.float | None = None,
    max: builtins.float | None = None,
    precision: builtins.int | None = None,
) -> Matcher[builtins.float]:
    """Match a number, with or without a fraction.

    Without ``value`` one is generated: whole by ``min`` and ``max``, with a fraction by ``precision`` (digits in all).
    """
    return _make("match.number", {"example": value, "min": min, "max": max, "precision": precision})


def str(
    value: _Text | Unset = UNSET,
    /,
    *,
    size: builtins.int | None = None,
    generator: Generator[Any] | None = None,
) -> Matcher[_Text]:
    """Match any text.

    Without ``value`` one is generated: by ``generator``, or of ``size`` characters (default: 10).
    """
    return _make("match.str", {"example": value, "size": size, "generator": generator})


def bool(value: builtins.bool | Unset = UNSET, /) -> Matcher[builtins.bool]:
    """Match true or false. Without ``value`` one of both is generated."""
    return _make("match.bool", {"example": value})


def uuid(value: _Text | Unset = UNSET, /, *, format: _UuidFormat | None = None) -> Matcher[_Text]:
    """Match a UUID.

    ``format`` says how it is written; without, with hyphens, all in lower or all in upper case.
    """
    return _make("match.uuid", {"example": _text(value), "format": format})


def regex(
    value: _Text | Unset = UNSET, /, *, regex: _Text | re.Pattern[_Text] | Unset = UNSET
) -> Matcher[_Text]:
    r"""Match a text that fits a regular expression as a whole.

    The syntax is that of Rust's ``regex`` crate, nearly that of Python; look-around and back-references work within a bound of
    steps. A compiled pattern keeps its flags. Without ``value`` an example is generated.

    >>> match.regex("open", regex=r"open|shipped")
    """
    return _make("match.regex", {"example": value, "pattern": _pattern("match.regex", regex)})


def date(
    value: _Text | _datetime.date | Unset = UNSET,
    /,
    format: _Text | None = None,
    *,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Matcher[_Text]:
    """Match a date such as ``2024-02-29``.

    ``format`` is one of ``strftime`` when it has a ``%``, else one of Java's ``DateTimeFormatter``, which contract files have;
    ``format_style`` decides where that is in doubt, and ``disable_conversion=True`` is short for ``format_style="java"``.
    Without a format it is told from the value, without both it is ISO 8601. Without a value one is generated.
    """
    return _of_moment("match.date", value, format, format_style, disable_conversion)


def time(
    value: _Text | _datetime.time | Unset = UNSET,
    /,
    format: _Text | None = None,
    *,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Matcher[_Text]:
    """Match a time of day such as ``13:45:00``; formats as with :func:`date`.

    Without a format, fractions of a second may be there or not, and an offset is there if the example has one.
    """
    return _of_moment("match.time", value, format, format_style, disable_conversion)


def datetime(
    value: _Text | _datetime.datetime | Unset = UNSET,
    /,
    format: _Text | None = None,
    *,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Matcher[_Text]:
    """Match a date with a time such as ``2024-02-29T13:45:00Z``; formats as with :func:`date`.

    Without a format it accepts fractions of a second or none, ``Z`` or an offset (neither, if the example has neither). A
    ``datetime`` object stands as ``isoformat()`` writes it; with a format it is written in UTC, and one without zone as it is.
    """
    return _of_moment("match.datetime", value, format, format_style, disable_conversion)


def timestamp(
    value: _Text | _datetime.datetime | Unset = UNSET,
    /,
    format: _Text | None = None,
    *,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Matcher[_Text]:
    """Same as :func:`datetime`."""
    return _of_moment("match.timestamp", value, format, format_style, disable_conversion)


@overload
def like(value: Unset = ..., /, *, generator: Generator[_T]) -> Matcher[_T]: ...
@overload
def like(
    value: _T,
    /,
    *,
    min: builtins.int | None = None,
    max: builtins.int | None = None,
    generator: Generator[Any] | None = None,
) -> Matcher[_T]: ...
def like(
    value: object = UNSET,
    /,
    *,
    min: builtins.int | None = None,
    max: builtins.int | None = None,
    generator: Generator[Any] | None = None,
) -> Matcher[Any]:
    """Match the same kind of value; holds for everything inside it that has no matcher of its own.

    ``min`` and ``max`` bound the number of items of a list. The value may be left to a ``generator``.
    """
    return _make("match.like", {"template": value, "min": min, "max": max, "generator": generator})


def each_like(
    value: _T,
    /,
    *,
    min: builtins.int | None = None,
    max: builtins.int | None = None,
    examples: builtins.int | None = None,
    allow_empty: builtins.bool | None = None,
    example_limit: builtins.int | None = None,
) -> Matcher[list[_T]]:
    """Match a list of which each item is like ``value``.

    At least one item, unless ``min`` or ``allow_empty`` says otherwise. ``examples`` says how often the value stands in the
    example (default: ``min`` times, or once), ``example_limit`` how many bytes the example may have at most (default: 4 MiB).
    """
    return _make(
        "match.each_like",
        {
            "template": value,
            "min": min,
            "max": max,
            "examples": examples,
            "allow_empty": allow_empty,
            "example_limit": example_limit,
        },
    )


def at_least_one_like(value: _T, /, count: builtins.int | None = None) -> Matcher[list[_T]]:
    """Match a list of at least one item like ``value``; the example has ``count`` of them."""
    return _make("match.at_least_one_like", {"template": value, "count": count})


def at_least_like(value: _T, /, min: builtins.int, count: builtins.int | None = None) -> Matcher[list[_T]]:
    """Match a list of at least ``min`` items like ``value``; the example has ``count`` of them."""
    return _make("match.at_least_like", {"template": value, "min": min, "count": count})


def at_most_like(value: _T, /, max: builtins.int, count: builtins.int | None = None) -> Matcher[list[_T]]:
    """Match a list of at most ``max`` items like ``value``, none included; the example has ``count`` of them."""
    return _make("match.at_most_like", {"template": value, "max": max, "count": count})


def constrained_array_like(
    value: _T, /, min: builtins.int, max: builtins.int, count: builtins.int | None = None
) -> Matcher[list[_T]]:
    """Match a list of ``min`` to ``max`` items like ``value``; the example has ``count`` of them."""
    return _make("match.constrained_array_like", {"template": value, "min": min, "max": max, "count": count})


def empty_array() -> Matcher[list[Any]]:
    """Match a list without items."""
    return _make("match.empty_array", {})


def includes(value: _Text, /, *, generator: Generator[Any] | None = None) -> Matcher[_Text]:
    """Match a text that contains this one."""
    return _make("match.includes", {"text": value, "generator": generator})


def none() -> Matcher[None]:
    """Match null."""
    return _make("match.null", {})


def equal(value: _T, /) -> Matcher[_T]:
    """Match exactly this value, also inside :func:`like` and :func:`each_like`."""
    return _make("match.equal", {"value": value})


def json(text: _Text, /) -> Matcher[Any]:
    """Stand for a JSON document as its text has it: ``match.json('1.0')`` is the number ``1.0``."""
    return _make("match.json", {"text": text})


def array_containing(variants: Sequence[_T], /) -> Matcher[list[_T]]:
    """Match a list in which each of these items stands somewhere; order is free and others may be there."""
    return _make("match.array_containing", {"variants": _listed(variants)})


def each_key_like(key: _Text, value: _T, /) -> Matcher[dict[_Text, _T]]:
    """Match a mapping with any keys, of which each value is like ``value``; ``key`` stands in the example."""
    return _make("match.each_key_like", {"key": key, "template": value})


def each_key_matches(
    value: _T, /, *, rules: Matcher[_Text] | Sequence[Matcher[_Text]]
) -> Matcher[_T]:
    """Match a mapping whose keys all match the rules."""
    return _make("match.each_key_matches", {"template": value, "rules": _listed(rules)})


def each_value_matches(value: _T, /, *, rules: Matcher[Any] | Sequence[Matcher[Any]]) -> Matcher[_T]:
    """Match a mapping or a list whose values all match the rules."""
    return _make("match.each_value_matches", {"template": value, "rules": _listed(rules)})


def any(*alternatives: Matcher[Any] | _Text | None) -> Matcher[Any]:
    """Match a value that one of these accepts: matchers, exact texts, and None. The first gives the example."""
    return _make("match.any", {"alternatives": list(alternatives)})


def all(*matchers: Matcher[Any]) -> Matcher[Any]:
    """Match a value that all of these accept. The first gives the example."""
    return _make("match.all", {"matchers": list(matchers)})


def nullable(value: _T, /) -> Matcher[_T | None]:
    """Match a value like this one, or null. A matcher is kept as it is."""
    return _make("match.nullable", {"template": value})


def content_type(type: _Text, example: _Text) -> Matcher[_Text]:
    """Match text, or bytes in base64, of this content type, which is told by the first bytes."""
    return _make("match.content_type", {"content_type": type, "example": example})


def not_empty(value: _T, /) -> Matcher[_T]:
    """Match what is neither null nor empty."""
    return _make("match.not_empty", {"template": value})


def semver(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a semantic version such as ``1.2.3-rc.1``."""
    return _make("match.semver", {"example": value})


def status(
    accepted: _StatusClass | Sequence[builtins.int], example: builtins.int | Unset = UNSET
) -> Matcher[builtins.int]:
    """Match a status code of a class, or one of a list; for ``will_respond_with``.

    Without an example: the first code of the class or the list.
    """
    return _make("match.status", {"accepted": accepted, "example": example})


def from_provider_state(
    expression: _Text, example: _T, *, loose: builtins.bool | None = None, type: _StateType | None = None
) -> Matcher[_T]:
    """Match a value that the provider's state handler returns; the expression names it, as in ``${id}``.

    In the consumer's test the example stands for it, and must arrive exactly unless ``loose``. ``type`` says what the value is
    turned into (default: what the example is).
    """
    return _make(
        "match.from_provider_state", {"expression": expression, "example": example, "loose": loose, "type": type}
    )


def path_from_provider_state(expression: _Text, example: _Text) -> Matcher[_Text]:
    """Match a path with values of the provider state in it: ``("/users/${id}", "/users/7")``."""
    return _make("match.path_from_provider_state", {"expression": expression, "example": example})


def email(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an e-mail address."""
    return _make("match.email", {"example": value})


def ipv4_address(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an IPv4 address."""
    return _make("match.ipv4_address", {"example": _text(value)})


def ipv6_address(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an IPv6 address."""
    return _make("match.ipv6_address", {"example": _text(value)})


def iso8601_date(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date as in ISO 8601."""
    return _make("match.iso8601_date", {"example": value})


def iso8601_date_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date and time as in ISO 8601, with a zone, with or without fractions of a second."""
    return _make("match.iso8601_date_time", {"example": value})


def iso8601_date_time_with_millis(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date and time as in ISO 8601, with a zone and with milliseconds or finer."""
    return _make("match.iso8601_date_time_with_millis", {"example": value})


def iso8601_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a time of day as in ISO 8601, with or without fractions and zone."""
    return _make("match.iso8601_time", {"example": value})


def rfc1123_timestamp(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date and time as in HTTP headers and e-mails."""
    return _make("match.rfc1123_timestamp", {"example": value})


def hexadecimal(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match hexadecimal digits."""
    return _make("match.hexadecimal", {"example": value})


def url(
    path: _Text | Matcher[_Text] | Sequence[_Text | Matcher[_Text]], *, base: _Text | None = None
) -> Matcher[_Text]:
    """Match a URL with this path, whatever its host; the mock server puts its own address in front.

    ``path`` is a text, a ``match.regex``, or several of them that are joined by slashes; ``base`` stands before it in the
    example (default: ``http://localhost``).
    """
    return _make("match.url", {"path": path, "base": base})


def _of_moment(
    call: _Text,
    value: _Text | _datetime.date | _datetime.time | Unset,
    format: _Text | None,
    format_style: _FormatStyle | None,
    disable_conversion: builtins.bool,
) -> Matcher[_Text]:
    style = "java" if disable_conversion else format_style
    return _make(call, {"example": _moment(value), "format": format, "format_style": style})


def _text(value: object) -> object:
    """UUIDs and addresses as their texts."""
    return _Text(value) if builtins.type(value).__module__ in ("uuid", "ipaddress") else value


def _listed(values: object) -> object:
    return list(cast("tuple[object, ...]", values)) if isinstance(values, tuple) else values


def _pattern(call: _Text, pattern: Any) -> object:
    """A compiled pattern as its text, its flags in front."""
    import re

    from .errors import ContractArgumentError

    if pattern is None:
        return UNSET
    source, has_flags = getattr(pattern, "pattern", None), getattr(pattern, "flags", 0)
    if not isinstance(pattern, re.Pattern):
        return pattern  # pyright: ignore[reportUnknownVariableType]
    letters = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
    if not isinstance(source, _Text) or has_flags & (re.ASCII | re.LOCALE):
        raise ContractArgumentError(
            f"{call}: a pattern of bytes, or with the flag re.ASCII or re.LOCALE, cannot be used; write [0-9] and the like",
            code="ERR_CONTRACT_MATCHER",
            operation=call,
            argument="regex",
        )
    flags = "".join(letter for flag, letter in letters.items() if has_flags & flag)
    return f"(?{flags}){source}" if flags else source


boolean = bool
decimal = float
integer = int
string = str
type = like
null = none
