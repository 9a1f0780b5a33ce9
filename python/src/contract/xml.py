"""XML bodies with matchers.

>>> from contract import match, xml
>>> xml.body(xml.element("order", xml.element("item", match.str("tea")).each(min=2), attrs={"id": match.int(7)}))

Pass the result to ``with_body`` or ``with_xml_body``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native, _pending
from ._call import UNSET
from ._matcher import Matcher

if TYPE_CHECKING:
    from collections.abc import Mapping

__tracebackhide__ = True


class XmlElement(_native.Encoded):
    """An element of an XML body. :func:`element` creates it."""

    __slots__ = ()

    def each(
        self,
        min: int | None = None,
        max: int | None = None,
        examples: int | None = None,
        *,
        example_limit: int | None = None,
    ) -> XmlElement:
        """Allow the element to be repeated. Each repetition must match this element by type.

        :param min: the minimum number of elements. Default: 1
        :param max: the maximum number of elements. Default: unlimited
        :param examples: the number of elements in the example. Default: ``min``
        :param example_limit: the maximum size of the repeated elements in the example, in bytes. Default: 4 MiB
        """
        arguments: dict[str, object] = {
            "element": self,
            "min": min,
            "max": max,
            "examples": examples,
            "example_limit": example_limit,
        }
        return XmlElement(_pending.matcher("xml.element.each", arguments))

    def __repr__(self) -> str:
        """Return the element as JSON text."""
        return f"<XmlElement {self._json}>"


def element(
    name: str,
    *children: XmlElement | str | int | float | bool | Matcher[Any],
    attrs: Mapping[str, str | int | float | bool | Matcher[Any]] | None = None,
) -> XmlElement:
    """Create an XML element from its name, its children, and its attributes.

    A matcher can be the value of an attribute or the whole text of an element. The attributes ``xmlns`` and ``xmlns:…`` declare
    namespaces.
    """
    arguments: dict[str, object] = {
        "name": name,
        "attributes": UNSET if attrs is None else attrs,
        "children": [child if isinstance(child, XmlElement) else {"text": child} for child in children] or UNSET,
    }
    return XmlElement(_pending.matcher("xml.element", arguments))


def body(root: XmlElement) -> XmlElement:
    """Mark an element as the root element of a body, and return the element."""
    return XmlElement(_pending.matcher("xml.body", {"root": root}))
