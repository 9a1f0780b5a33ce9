"""Which contracts a broker gives.

Source: "Provider verification operations" and "Authentication" of SPECIFICATION.md.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from ._call import given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from .verifier import Verifier

__all__ = ["BrokerSelectorBuilder"]


class BrokerSelectorBuilder:
    """Says which contracts a broker gives. It must be finished with ``build()``, which gives the verifier back.

    Every method gives the builder itself, so that calls can be chained. Without any ``consumer_version`` the broker chooses what
    is on main branches, deployed or released.
    """

    def __init__(self, verifier: Verifier, say: Callable[[str, Mapping[str, object]], object]) -> None:
        """Not to be called: builders come from ``Verifier.broker_source``."""
        self._verifier = verifier
        self._say = say

    def _said(self, call: str, **arguments: object) -> Self:
        self._say(call, arguments)
        return self

    def include_pending(self) -> Self:
        """Let contracts fail that the provider never honoured. Default: every failure counts."""
        return self._said("include_pending")

    def exclude_pending(self) -> Self:
        """Let every failure count."""
        return self._said("exclude_pending")

    def include_wip_since(self, date: str | datetime.date) -> Self:
        """Add contracts of other branches published since this date, which may fail.

        :param date: ``2026-01-31``, perhaps with a time, or a ``date`` or ``datetime``
        :raises ValueError: a text that is no date
        """
        return self._said("include_wip_since", date=date.isoformat() if isinstance(date, datetime.date) else date)

    def exclude_wip(self) -> Self:
        """Add none."""
        return self._said("exclude_wip")

    def provider_branch(self, branch: str) -> Self:
        """Set the provider's branch, by which pending and work in progress are told.

        Default: that of ``set_publish_options``.
        """
        return self._said("provider_branch", branch=branch)

    def provider_tags(self, *tags: str) -> Self:
        """Set the provider's tags, the older way to tell them. A repeated call replaces."""
        return self._said("provider_tags", tags=list(tags))

    def consumer_tags(self, *tags: str) -> Self:
        """Choose the newest consumer versions with each of these tags. A repeated call replaces."""
        return self._said("consumer_tags", tags=list(tags))

    def consumer_version(
        self,
        branch: str | bool | None = None,
        deployed_or_released: bool | None = None,
        main_branch: bool | None = None,
        consumer: str | None = None,
        deployed: bool | None = None,
        environment: str | None = None,
        *,
        released: bool | None = None,
        matching_branch: bool | None = None,
        fallback_branch: str | None = None,
        tag: str | None = None,
        fallback_tag: str | None = None,
        latest: bool | None = None,
    ) -> Self:
        """Choose versions of consumers for which all of this holds; several calls combine by "or".

        :param branch: the newest version of this branch; True for that of each branch
        :param deployed_or_released: versions that are one or the other
        :param main_branch: the newest version of each consumer's main branch
        :param consumer: of this consumer alone
        :param deployed: versions that are deployed
        :param environment: versions that are deployed or released in this environment
        :param released: versions that are released and supported
        :param matching_branch: the newest version of the branch that is called as the provider's
        :param fallback_branch: the branch to take where there is no such ``branch``
        :param tag: all versions with this tag; with ``latest`` the newest of them
        :param fallback_tag: the tag to take where there is none of ``tag``; needs ``latest``
        :param latest: the newest version: of all, or of those with ``tag``
        :raises ValueError: arguments that choose nothing, or exclude each other
        """
        selector = given(
            {
                "branch": branch,
                "deployed_or_released": deployed_or_released,
                "main_branch": main_branch,
                "consumer": consumer,
                "deployed": deployed,
                "environment": environment,
                "released": released,
                "matching_branch": matching_branch,
                "fallback_branch": fallback_branch,
                "tag": tag,
                "fallback_tag": fallback_tag,
                "latest": latest,
            }
        )
        return self._said("consumer_version", selector=selector)

    def consumer_versions(self, *selectors: str) -> Self:
        """Choose versions by the JSON texts of selectors."""
        return self._said("consumer_versions", selectors=list(selectors))

    def build(self) -> Verifier:
        """End the builder; gives the verifier."""
        self._say("build", {})
        return self._verifier
