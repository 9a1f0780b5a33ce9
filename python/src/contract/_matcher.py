"""The types of matchers and generators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _native, _pending
from ._call import UNSET

if TYPE_CHECKING:
    import datetime

    from ._native import Unset

__tracebackhide__ = True

T = TypeVar("T")


class Matcher(_native.Encoded, Generic[T]):
    """Accepts values that differ from an example. ``T`` is the type of the example.

    The functions of the modules ``match`` and ``generate`` create matchers. Use a matcher in place of a value. ``a & b`` accepts
    values that both matchers accept, and ``a | b`` accepts values that at least one of them accepts. In both cases, ``a``
    provides the example.
    """

    __slots__ = ()

    def __and__(self, other: Matcher[Any]) -> Matcher[T]:
        """Return a matcher for values that both matchers accept."""
        return make("match.all", {"matchers": [self, other]})

    def __or__(self, other: Matcher[Any]) -> Matcher[Any]:
        """Return a matcher for values that at least one of the matchers accepts."""
        return make("match.any", {"alternatives": [self, other]})

    def __repr__(self) -> str:
        """Return the matcher as JSON text."""
        return f"<{type(self).__name__} {self._json}>"

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same matcher with the same example."""
        return isinstance(other, Matcher) and self._json == other._json

    def __hash__(self) -> int:
        """Return the hash of the matcher JSON."""
        return hash(self._json)


Generator = Matcher
"""Produces a new value each time an interaction is used. Use a generator wherever you can use a matcher."""


def make(call: str, arguments: dict[str, object]) -> Matcher[Any]:
    """Create a matcher or generator in the core. ``call`` is a name such as ``match.int``."""
    return Matcher(_pending.matcher(call, arguments))


def moment(value: str | datetime.date | datetime.time | Unset) -> object:
    """Convert a date or time to milliseconds since 1970-01-01 UTC and its ISO 8601 form."""
    if isinstance(value, str) or value is UNSET:
        return value
    import datetime

    utc = datetime.timezone.utc
    if isinstance(value, datetime.datetime):
        at = value
    elif isinstance(value, datetime.date):
        at = datetime.datetime(value.year, value.month, value.day)
    elif isinstance(value, datetime.time):
        at = datetime.datetime.combine(datetime.date(1970, 1, 1), value)
    else:
        return value
    if at.tzinfo is None or at.utcoffset() is None:
        at = at.replace(tzinfo=utc)
    since = at - datetime.datetime(1970, 1, 1, tzinfo=utc)
    return {"text": value.isoformat(), "milliseconds": since // datetime.timedelta(milliseconds=1)}
