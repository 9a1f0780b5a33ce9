"""GraphQL documents that are compared by what they say, and not by how they are written."""

from __future__ import annotations

from ._matcher import Matcher, make

__tracebackhide__ = True


def document(query: str) -> Matcher[str]:
    """Match the same GraphQL document: blanks, line ends, commas and comments do not count, the order of fields does."""
    return make("graphql.document", {"query": query})
