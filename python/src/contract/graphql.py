"""Matchers for GraphQL documents."""

from __future__ import annotations

from ._matcher import Matcher, make

__tracebackhide__ = True


def document(query: str) -> Matcher[str]:
    """Match a string that contains an equivalent GraphQL document. Whitespace, commas, and comments are ignored, but the order of
    fields matters.
    """
    return make("graphql.document", {"query": query})
