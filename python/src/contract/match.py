"""Matchers: accept values that differ from an example.

Import the module and not its functions, because several functions have the names of built-in types:

>>> from contract import match
>>> body = {"id": match.int(7), "name": match.str("Alice"), "created": match.datetime()}

An example that its own matcher does not accept raises ``ContractArgumentError`` (a ``ValueError``) immediately. Without an
example, one is generated each time the contract is replayed.
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
    """Match an integer.

    The example must be between ``min`` and ``max``. Without an example, one is generated between ``min`` (default: 0) and
    ``max`` (default: 10).
    """
    return _make("match.int", {"example": value, "min": min, "max": max})


def float(
    value: builtins.float | Decimal | Unset = UNSET, /, *, precision: builtins.int | None = None
) -> Matcher[builtins.float]:
    """Match a number with a fraction: ``1.5`` and ``1.0``, but not ``2``.

    JavaScript sends 2.0 as ``2``; use :func:`number` for values from JavaScript. Without an example, one with ``precision``
    digits is generated (default: 10).
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
    """Match any number: ``2`` and ``1.5``.

    Without an example, one is generated: an integer if ``min`` or ``max`` is set, a number with a fraction if ``precision``
    (total number of digits) is set.
    """
    return _make("match.number", {"example": value, "min": min, "max": max, "precision": precision})


def str(
    value: _Text | Unset = UNSET,
    /,
    *,
    size: builtins.int | None = None,
    generator: Generator[Any] | None = None,
) -> Matcher[_Text]:
    """Match any string.

    Without an example, one is generated: by ``generator``, or with ``size`` characters (default: 10).
    """
    return _make("match.str", {"example": value, "size": size, "generator": generator})


def bool(value: builtins.bool | Unset = UNSET, /) -> Matcher[builtins.bool]:
    """Match true and false. Without an example, one is generated."""
    return _make("match.bool", {"example": value})


def uuid(value: _Text | Unset = UNSET, /, *, format: _UuidFormat | None = None) -> Matcher[_Text]:
    """Match a UUID. Default format: with hyphens, all lowercase or all uppercase."""
    return _make("match.uuid", {"example": _text(value), "format": format})


def regex(
    value: _Text | Unset = UNSET, /, *, regex: _Text | re.Pattern[_Text] | Unset = UNSET
) -> Matcher[_Text]:
    r"""Match a string if the regular expression matches all of it.

    The syntax is that of Rust's ``regex`` crate, which is close to Python's. Look-around and backreferences are supported, with
    a limit on the number of steps. A compiled pattern keeps its flags. Without an example, one is generated.

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

    A ``format`` with a ``%`` is a ``strftime`` format; otherwise it is a format of Java's ``DateTimeFormatter``, as in contract
    files. ``format_style`` overrides this; ``disable_conversion=True`` is short for ``format_style="java"``. Default: detected
    from the example, or ISO 8601. Without an example, one is generated.
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
    """Match a time such as ``13:45:00``. For formats see :func:`date`.

    Without a format, fractions of a second are optional, and an offset is expected if the example has one.
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
    """Match a date and time such as ``2024-02-29T13:45:00Z``. For formats see :func:`date`.

    Without a format, it accepts optional fractions of a second, and ``Z`` or an offset (neither if the example has neither). A
    ``datetime`` object is written as by ``isoformat()``, or with a format in UTC (if it has a time zone).
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
    """Alias of :func:`datetime`."""
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
    """Match values of the same type as the example, at every nesting level.

    ``min`` and ``max`` limit the number of items of a list. A ``generator`` can provide the example.
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
    """Match a list in which every item is like ``value``. At least one item is required, unless ``min`` or ``allow_empty`` is set.

    ``examples`` is the number of items in the example (default: ``min``, or 1), ``example_limit`` the maximum size of the
    example in bytes (default: 4 MiB).
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
    """Match a list of at least one item like ``value``. The example contains ``count`` items."""
    return _make("match.at_least_one_like", {"template": value, "count": count})


def at_least_like(value: _T, /, min: builtins.int, count: builtins.int | None = None) -> Matcher[list[_T]]:
    """Match a list of at least ``min`` items like ``value``. The example contains ``count`` items."""
    return _make("match.at_least_like", {"template": value, "min": min, "count": count})


def at_most_like(value: _T, /, max: builtins.int, count: builtins.int | None = None) -> Matcher[list[_T]]:
    """Match a list of at most ``max`` items like ``value``, including an empty list. The example contains ``count`` items."""
    return _make("match.at_most_like", {"template": value, "max": max, "count": count})


def constrained_array_like(
    value: _T, /, min: builtins.int, max: builtins.int, count: builtins.int | None = None
) -> Matcher[list[_T]]:
    """Match a list of ``min`` to ``max`` items like ``value``. The example contains ``count`` items."""
    return _make("match.constrained_array_like", {"template": value, "min": min, "max": max, "count": count})


def empty_array() -> Matcher[list[Any]]:
    """Match an empty list."""
    return _make("match.empty_array", {})


def includes(value: _Text, /, *, generator: Generator[Any] | None = None) -> Matcher[_Text]:
    """Match a string that contains this string."""
    return _make("match.includes", {"text": value, "generator": generator})


def none() -> Matcher[None]:
    """Match null."""
    return _make("match.null", {})


def equal(value: _T, /) -> Matcher[_T]:
    """Match exactly this value, also inside :func:`like` and :func:`each_like`."""
    return _make("match.equal", {"value": value})


def json(text: _Text, /) -> Matcher[Any]:
    """Insert JSON text unchanged: ``match.json('1.0')`` is the number ``1.0``. It is compared for equality."""
    return _make("match.json", {"text": text})


def array_containing(variants: Sequence[_T], /) -> Matcher[list[_T]]:
    """Match a list that contains an item for each template, in any order. Other items are allowed."""
    return _make("match.array_containing", {"variants": _listed(variants)})


def each_key_like(key: _Text, value: _T, /) -> Matcher[dict[_Text, _T]]:
    """Match a mapping with any keys and with values like ``value``. ``key`` is the key in the example."""
    return _make("match.each_key_like", {"key": key, "template": value})


def each_key_matches(
    value: _T, /, *, rules: Matcher[_Text] | Sequence[Matcher[_Text]]
) -> Matcher[_T]:
    """Match a mapping if all rules accept each of its keys."""
    return _make("match.each_key_matches", {"template": value, "rules": _listed(rules)})


def each_value_matches(value: _T, /, *, rules: Matcher[Any] | Sequence[Matcher[Any]]) -> Matcher[_T]:
    """Match a mapping or a list if all rules accept each of its values."""
    return _make("match.each_value_matches", {"template": value, "rules": _listed(rules)})


def any(*alternatives: Matcher[Any] | _Text | None) -> Matcher[Any]:
    """Match a value that at least one alternative accepts: matchers, exact strings, and None. The first provides the example."""
    return _make("match.any", {"alternatives": list(alternatives)})


def all(*matchers: Matcher[Any]) -> Matcher[Any]:
    """Match a value that all matchers accept. The first one provides the example."""
    return _make("match.all", {"matchers": list(matchers)})


def nullable(value: _T, /) -> Matcher[_T | None]:
    """Match null or a value like ``value``. If ``value`` is a matcher, its rule applies."""
    return _make("match.nullable", {"template": value})


def content_type(type: _Text, example: _Text) -> Matcher[_Text]:
    """Match content of this type, which is detected from its first bytes. ``example`` is text or base64."""
    return _make("match.content_type", {"content_type": type, "example": example})


def not_empty(value: _T, /) -> Matcher[_T]:
    """Match a value that is neither null nor empty."""
    return _make("match.not_empty", {"template": value})


def semver(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a semantic version such as ``1.2.3-rc.1``."""
    return _make("match.semver", {"example": value})


def status(
    accepted: _StatusClass | Sequence[builtins.int], example: builtins.int | Unset = UNSET
) -> Matcher[builtins.int]:
    """Match any status code of a class or of a list; for ``will_respond_with``. Default example: the first code."""
    return _make("match.status", {"accepted": accepted, "example": example})


def from_provider_state(
    expression: _Text, example: _T, *, loose: builtins.bool | None = None, type: _StateType | None = None
) -> Matcher[_T]:
    """Use a value that the provider's state handler returns; the expression names it, as in ``${id}``.

    The consumer test uses the example, which must be received exactly unless ``loose`` is True. ``type`` is the type to convert
    the value to (default: the type of the example).
    """
    return _make(
        "match.from_provider_state", {"expression": expression, "example": example, "loose": loose, "type": type}
    )


def path_from_provider_state(expression: _Text, example: _Text) -> Matcher[_Text]:
    """Use a path with values of the provider state: ``path_from_provider_state("/users/${id}", "/users/7")``."""
    return _make("match.path_from_provider_state", {"expression": expression, "example": example})


def email(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an email address."""
    return _make("match.email", {"example": value})


def ipv4_address(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an IPv4 address."""
    return _make("match.ipv4_address", {"example": _text(value)})


def ipv6_address(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an IPv6 address."""
    return _make("match.ipv6_address", {"example": _text(value)})


def iso8601_date(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 date."""
    return _make("match.iso8601_date", {"example": value})


def iso8601_date_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 date and time with a time zone, with or without fractions of a second."""
    return _make("match.iso8601_date_time", {"example": value})


def iso8601_date_time_with_millis(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 date and time with a time zone and at least milliseconds."""
    return _make("match.iso8601_date_time_with_millis", {"example": value})


def iso8601_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 time, with or without fractions and time zone."""
    return _make("match.iso8601_time", {"example": value})


def rfc1123_timestamp(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date and time in the format of HTTP headers and emails."""
    return _make("match.rfc1123_timestamp", {"example": value})


def hexadecimal(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match hexadecimal digits."""
    return _make("match.hexadecimal", {"example": value})


def url(
    path: _Text | Matcher[_Text] | Sequence[_Text | Matcher[_Text]], *, base: _Text | None = None
) -> Matcher[_Text]:
    """Match a URL with this path on any host. The mock server replaces the base with its own URL.

    ``path`` is a string, a ``match.regex``, or a list of them that is joined by slashes. ``base`` is the beginning of the URL in
    the example (default: ``http://localhost``).
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
    """Convert UUIDs and IP addresses to strings."""
    return _Text(value) if builtins.type(value).__module__ in ("uuid", "ipaddress") else value


def _listed(values: object) -> object:
    return list(cast("tuple[object, ...]", values)) if isinstance(values, tuple) else values


def _pattern(call: _Text, pattern: Any) -> object:
    """Convert a compiled pattern to a string that starts with its flags."""
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
            f"{call}: patterns of bytes, and the flags re.ASCII and re.LOCALE, are not supported. Use classes such as [0-9]",
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
