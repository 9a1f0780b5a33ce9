"""XML bodies with matchers in them.

>>> from contract import match, xml
>>> xml.body(xml.element("order", xml.element("item", match.str("tea")).each(min=2), attrs={"id": match.int(7)}))

The result goes into ``with_body`` or ``with_xml_body``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._call import UNSET
from ._matcher import Matcher

if TYPE_CHECKING:
    from collections.abc import Mapping

__tracebackhide__ = True


class XmlElement(_native.Encoded):
    """An element of an XML body. Made by :func:`element`."""

    __slots__ = ()

    def each(
        self,
        min: int | None = None,
        max: int | None = None,
        examples: int | None = None,
        *,
        example_limit: int | None = None,
    ) -> XmlElement:
        """Give the same element any number of times, each like this one.

        At least ``min`` times (default: 1), at most ``max`` (default: any number); ``examples`` times in the example (default:
        ``min``), which may have ``example_limit`` bytes at most (default: 4 MiB).
        """
        given: dict[str, object] = {
            "element": self,
            "min": min,
            "max": max,
            "examples": examples,
            "example_limit": example_limit,
        }
        return XmlElement(_native.matcher("xml.element.each", given))

    def __repr__(self) -> str:
        """Show the element as JSON."""
        return f"<XmlElement {self._json}>"


def element(
    name: str,
    *children: XmlElement | str | int | float | bool | Matcher[Any],
    attrs: Mapping[str, str | int | float | bool | Matcher[Any]] | None = None,
) -> XmlElement:
    """Make an element: its name, what stands in it, and its attributes.

    Matchers stand for the value of an attribute or the whole text of an element; ``xmlns`` and ``xmlns:…`` among ``attrs``
    declare namespaces.
    """
    given: dict[str, object] = {
        "name": name,
        "attributes": UNSET if attrs is None else attrs,
        "children": [child if isinstance(child, XmlElement) else {"text": child} for child in children] or UNSET,
    }
    return XmlElement(_native.matcher("xml.element", given))


def body(root: XmlElement) -> XmlElement:
    """Make a body with this root: the root itself."""
    return XmlElement(_native.matcher("xml.body", {"root": root}))
