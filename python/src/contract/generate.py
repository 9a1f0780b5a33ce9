"""Generators, which produce a new value each time an interaction is used.

Use a generator in place of a value, or as the generator of a matcher, as in ``match.str(generator=generate.uuid())``. With
``Contract(..., seed=...)``, generated values are the same in every run.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Literal

from ._call import UNSET
from ._matcher import Generator
from ._matcher import make as _make
from .match import _pattern  # pyright: ignore[reportPrivateUsage]

if TYPE_CHECKING:
    import re

    from ._native import Unset

__tracebackhide__ = True

_Text = builtins.str
_FormatStyle = Literal["strftime", "java"]
_StateType = Literal["string", "integer", "decimal", "boolean", "raw"]


def int(*, min: builtins.int | None = None, max: builtins.int | None = None) -> Generator[builtins.int]:
    """Generate an integer from ``min`` to ``max``, inclusive. Default: 0 to 10."""
    return _make("generate.int", {"min": min, "max": max})


def float(precision: builtins.int | None = None) -> Generator[builtins.float]:
    """Generate a decimal number. ``precision`` is the total number of digits. Default: 10."""
    return _make("generate.float", {"precision": precision})


def hex(digits: builtins.int | None = None) -> Generator[_Text]:
    """Generate a string of hexadecimal digits. ``digits`` is its length. Default: 10."""
    return _make("generate.hex", {"digits": digits})


def str(size: builtins.int | None = None) -> Generator[_Text]:
    """Generate a string of letters and digits. ``size`` is its length. Default: 10."""
    return _make("generate.str", {"size": size})


def regex(pattern: _Text | re.Pattern[_Text]) -> Generator[_Text]:
    """Generate a string that matches the regular expression. For the syntax, see :func:`contract.match.regex`."""
    return _make("generate.regex", {"pattern": _pattern("generate.regex", pattern)})


def uuid(format: Literal["simple", "lowercase", "uppercase", "urn"] | None = None) -> Generator[_Text]:
    """Generate a random UUID. Default format: lowercase with hyphens. The ``simple`` format has no hyphens."""
    return _make("generate.uuid", {"format": format})


def date(
    format: _Text | None = None,
    *,
    expression: _Text | None = None,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Generator[_Text]:
    """Generate the current date, or the date of an ``expression`` such as ``today + 1 day``. For formats, see ``match.date``."""
    return _of_moment("generate.date", format, expression, format_style, disable_conversion)


def time(
    format: _Text | None = None,
    *,
    expression: _Text | None = None,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Generator[_Text]:
    """Generate the current time, or the time of an ``expression`` such as ``now + 2 hours``. For formats, see ``match.date``."""
    return _of_moment("generate.time", format, expression, format_style, disable_conversion)


def datetime(
    format: _Text | None = None,
    *,
    expression: _Text | None = None,
    format_style: _FormatStyle | None = None,
    disable_conversion: builtins.bool = False,
) -> Generator[_Text]:
    """Generate the current date and time, or those of an ``expression`` such as ``today @ + 2 hours``. For formats, see
    ``match.date``.
    """
    return _of_moment("generate.datetime", format, expression, format_style, disable_conversion)


def bool() -> Generator[builtins.bool]:
    """Generate true or false."""
    return _make("generate.bool", {})


def mock_server_url(
    example: _Text | Unset = UNSET, regex: _Text | re.Pattern[_Text] | Unset = UNSET
) -> Generator[_Text]:
    """Replace the base of a URL with the URL of the mock server.

    The group in ``regex`` is the part of the example that is kept: ``mock_server_url("http://localhost/users/1",
    r".*(/users/\\d+)$")``.
    """
    return _make("generate.mock_server_url", {"example": example, "regex": _pattern("generate.mock_server_url", regex)})


def provider_state(
    expression: _Text, *, example: object = UNSET, type: _StateType | None = None
) -> Generator[Any]:
    """Insert a value that the provider's state handler returns. The expression contains the value's name, as in ``${id}``.

    If the generator is part of a matcher, the matcher provides the example. Otherwise, ``example`` is required. ``type`` is the
    type to which the value is converted (default: the type of the example).
    """
    return _make("generate.provider_state", {"expression": expression, "example": example, "type": type})


def _of_moment(
    call: _Text,
    format: _Text | None,
    expression: _Text | None,
    format_style: _FormatStyle | None,
    disable_conversion: builtins.bool,
) -> Generator[_Text]:
    style = "java" if disable_conversion else format_style
    return _make(call, {"format": format, "expression": expression, "format_style": style})


boolean = bool
decimal = float
hexadecimal = hex
integer = int
string = str
timestamp = datetime
