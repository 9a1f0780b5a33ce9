"""Matchers, generators and elements of XML as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _native
from ._call import UNSET

if TYPE_CHECKING:
    import datetime

    from ._native import Unset

__tracebackhide__ = True

T = TypeVar("T")


class Matcher(_native.Encoded, Generic[T]):
    """Says how a value may differ from its example; ``T`` is the type of the example.

    Made by the functions of ``match`` and ``generate``, and put where a value stands. ``a & b`` is a matcher for values that
    both accept, ``a | b`` for values that one of them accepts; the first gives the example.
    """

    __slots__ = ()

    def __and__(self, other: Matcher[Any]) -> Matcher[T]:
        """Give a matcher for values that both accept."""
        return make("match.all", {"matchers": [self, other]})

    def __or__(self, other: Matcher[Any]) -> Matcher[Any]:
        """Give a matcher for values that one of both accepts."""
        return make("match.any", {"alternatives": [self, other]})

    def __repr__(self) -> str:
        """Show the matcher JSON."""
        return f"<{type(self).__name__} {self._json}>"

    def __eq__(self, other: object) -> bool:
        """Tell whether both are the same matcher with the same example."""
        return isinstance(other, Matcher) and self._json == other._json

    def __hash__(self) -> int:
        """Give the hash of the matcher JSON."""
        return hash(self._json)


Generator = Matcher
"""Makes a value afresh each time the contract is exercised; fits wherever a matcher does."""


def make(call: str, arguments: dict[str, object]) -> Matcher[Any]:
    """Give the matcher that the core makes of a call."""
    return Matcher(_native.matcher(call, arguments))


def moment(value: str | datetime.date | datetime.time | Unset) -> object:
    """Give a date or time as data: milliseconds since 1970, and how it is written in ISO 8601."""
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
