"""Matchers. A matcher combines an example value with a rule that determines which values match.

Import the module instead of its functions, because several functions have the names of built-in types:

>>> from contract import match
>>> body = {"id": match.int(7), "name": match.str("Alice"), "created": match.datetime()}

If a matcher does not accept its own example, a ``ContractArgumentError`` (a ``ValueError``) is raised immediately. Without an
example, one is generated each time the contract is used.
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

    The example must be from ``min`` to ``max``. Without an example, one from ``min`` (default: 0) to ``max`` (default: 10) is
    generated.
    """
    return _make("match.int", {"example": value, "min": min, "max": max})


def float(
    value: builtins.float | Decimal | Unset = UNSET, /, *, precision: builtins.int | None = None
) -> Matcher[builtins.float]:
    """Match a decimal number, such as ``1.5`` and ``1.0`` but not ``2``.

    JavaScript serializes 2.0 as ``2``, so use :func:`number` for values from JavaScript. Without an example, a number with
    ``precision`` digits in total (default: 10) is generated.
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
    """Match any number, such as ``2`` and ``1.5``.

    Without an example, one is generated. It is an integer if ``min`` or ``max`` is set, and a decimal number if ``precision``
    (the total number of digits) is set.
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

    Without an example, ``generator`` produces one. Without a generator, a string of ``size`` characters (default: 10) is
    generated.
    """
    return _make("match.str", {"example": value, "size": size, "generator": generator})


def bool(value: builtins.bool | Unset = UNSET, /) -> Matcher[builtins.bool]:
    """Match True and False. Without an example, one of them is generated."""
    return _make("match.bool", {"example": value})


def uuid(value: _Text | Unset = UNSET, /, *, format: _UuidFormat | None = None) -> Matcher[_Text]:
    """Match a UUID. Default format: with hyphens, either all lowercase or all uppercase. Without an example, one is generated."""
    return _make("match.uuid", {"example": _text(value), "format": format})


def regex(
    value: _Text | Unset = UNSET, /, *, regex: _Text | re.Pattern[_Text] | Unset = UNSET
) -> Matcher[_Text]:
    r"""Match a string if the regular expression matches the whole string.

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

    A ``format`` that contains ``%`` is a ``strftime`` format. Any other format is a format of Java's ``DateTimeFormatter``, as in
    contract files. ``format_style`` overrides this, and ``disable_conversion=True`` is short for ``format_style="java"``. Default
    format: detected from the example, or ISO 8601 without an example. Without an example, one is generated.
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
    """Match a time such as ``13:45:00``. For formats, see :func:`date`.

    Without a format, fractions of a second are optional, and an offset is required if the example has one.
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
    """Match a date and time such as ``2024-02-29T13:45:00Z``. For formats, see :func:`date`.

    Without a format, fractions of a second are optional, and ``Z`` or an offset is required unless the example has neither. A
    ``datetime`` object is written as by ``isoformat()``. With a format, it is written in UTC if it has a time zone.
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
    """Alias of :func:`datetime`: match a date and time such as ``2024-02-29T13:45:00Z``."""
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

    ``min`` and ``max`` limit the number of items if the example is a list. With a ``generator``, the example can be omitted.
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
    """Match a list in which every item matches ``value`` by type. At least one item is required, unless ``min`` or
    ``allow_empty`` is set.

    ``examples`` is the number of items in the example (default: ``min``, or 1). ``example_limit`` is the maximum size of the
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
    """Match a list of at most ``max`` items like ``value``, which may be empty. The example contains ``count`` items."""
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
    """Match a string that contains ``value``."""
    return _make("match.includes", {"text": value, "generator": generator})


def none() -> Matcher[None]:
    """Match None (JSON null)."""
    return _make("match.null", {})


def equal(value: _T, /) -> Matcher[_T]:
    """Match only this value, even inside :func:`like` and :func:`each_like`."""
    return _make("match.equal", {"value": value})


def json(text: _Text, /) -> Matcher[Any]:
    """Insert JSON text unchanged: ``match.json('1.0')`` is the number ``1.0``. Only this value matches."""
    return _make("match.json", {"text": text})


def array_containing(variants: Sequence[_T], /) -> Matcher[list[_T]]:
    """Match a list that contains at least one item for each of these templates, in any order. Other items are allowed."""
    return _make("match.array_containing", {"variants": _listed(variants)})


def each_key_like(key: _Text, value: _T, /) -> Matcher[dict[_Text, _T]]:
    """Match a mapping with any keys, in which every value matches ``value`` by type. The example has the key ``key``."""
    return _make("match.each_key_like", {"key": key, "template": value})


def each_key_matches(
    value: _T, /, *, rules: Matcher[_Text] | Sequence[Matcher[_Text]]
) -> Matcher[_T]:
    """Match a mapping in which each key matches all of these matchers."""
    return _make("match.each_key_matches", {"template": value, "rules": _listed(rules)})


def each_value_matches(value: _T, /, *, rules: Matcher[Any] | Sequence[Matcher[Any]]) -> Matcher[_T]:
    """Match a mapping or a list in which each value matches all of these matchers."""
    return _make("match.each_value_matches", {"template": value, "rules": _listed(rules)})


def any(*alternatives: Matcher[Any] | _Text | None) -> Matcher[Any]:
    """Match a value that matches at least one of the alternatives. An alternative is a matcher, a string that must be equal, or
    None. The first alternative provides the example.
    """
    return _make("match.any", {"alternatives": list(alternatives)})


def all(*matchers: Matcher[Any]) -> Matcher[Any]:
    """Match a value that matches all of these matchers. The first matcher provides the example."""
    return _make("match.all", {"matchers": list(matchers)})


def nullable(value: _T, /) -> Matcher[_T | None]:
    """Match None (JSON null) or a value like ``value``. If ``value`` is a matcher, the received value must match it."""
    return _make("match.nullable", {"template": value})


def content_type(type: _Text, example: _Text) -> Matcher[_Text]:
    """Match content of this type, such as ``image/png``. The type of the received content is detected from its first bytes.
    ``example`` is text, or bytes in base64.
    """
    return _make("match.content_type", {"content_type": type, "example": example})


def not_empty(value: _T, /) -> Matcher[_T]:
    """Match a value that is neither None (JSON null) nor empty."""
    return _make("match.not_empty", {"template": value})


def semver(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a semantic version such as ``1.2.3-rc.1``."""
    return _make("match.semver", {"example": value})


def status(
    accepted: _StatusClass | Sequence[builtins.int], example: builtins.int | Unset = UNSET
) -> Matcher[builtins.int]:
    """Match any status code of a class such as ``success``, or one of the codes in a list. Use it in ``will_respond_with``.
    Default example: the first of these codes.
    """
    return _make("match.status", {"accepted": accepted, "example": example})


def from_provider_state(
    expression: _Text, example: _T, *, loose: builtins.bool | None = None, type: _StateType | None = None
) -> Matcher[_T]:
    """Insert a value that the provider's state handler returns. The expression contains the value's name, as in ``${id}``.

    The consumer test uses the example, and must send exactly this value unless ``loose`` is True. ``type`` is the type to which
    the provider's value is converted (default: the type of the example).
    """
    return _make(
        "match.from_provider_state", {"expression": expression, "example": example, "loose": loose, "type": type}
    )


def path_from_provider_state(expression: _Text, example: _Text) -> Matcher[_Text]:
    """Insert values from the provider state into a path: ``path_from_provider_state("/users/${id}", "/users/7")``."""
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
    """Match an ISO 8601 date, such as ``2024-02-29``."""
    return _make("match.iso8601_date", {"example": value})


def iso8601_date_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 date and time with a time zone, such as ``2024-02-29T13:45:00Z``. Fractions of a second are optional."""
    return _make("match.iso8601_date_time", {"example": value})


def iso8601_date_time_with_millis(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 date and time with a time zone and at least three fractional digits, such as
    ``2024-02-29T13:45:00.123Z``.
    """
    return _make("match.iso8601_date_time_with_millis", {"example": value})


def iso8601_time(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match an ISO 8601 time, such as ``13:45:00``. Fractions of a second and a time zone are optional."""
    return _make("match.iso8601_time", {"example": value})


def rfc1123_timestamp(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a date and time in the format of HTTP headers and emails, such as ``Thu, 29 Feb 2024 13:45:00 GMT``."""
    return _make("match.rfc1123_timestamp", {"example": value})


def hexadecimal(value: _Text | Unset = UNSET, /) -> Matcher[_Text]:
    """Match a string of hexadecimal digits, such as ``3f``."""
    return _make("match.hexadecimal", {"example": value})


def url(
    path: _Text | Matcher[_Text] | Sequence[_Text | Matcher[_Text]], *, base: _Text | None = None
) -> Matcher[_Text]:
    """Match a URL with this path on any host. The mock server replaces the part before the path with its own URL.

    ``path`` is a string, a ``match.regex``, or a list of these, which are joined by slashes. ``base`` is the part of the example
    before the path (default: ``http://localhost``).
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
    """Convert a UUID or an IP address to a string. Other values are returned unchanged."""
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
