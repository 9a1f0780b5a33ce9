"""Tracks which thread defined each interaction, so that concurrent tests do not serve each other's interactions by mistake."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .errors import ContractArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._native import NativeInteraction


class Unserved:
    """The interactions of a contract that have not been served or verified yet."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._all: list[tuple[NativeInteraction, str, int]] = []
        self._lock = threading.Lock()

    def add(self, interaction: NativeInteraction, kind: str) -> None:
        """Record that the current thread has defined this interaction."""
        with self._lock:
            self._all.append((interaction, kind, threading.get_ident()))

    def take(self, call: str, kind: str) -> None:
        """Remove the interactions of a kind that are now served or verified.

        :raises ContractArgumentError: if this thread and another running thread have both defined interactions of this kind
        """
        this_thread = threading.get_ident()
        running = {thread.ident for thread in threading.enumerate()}
        with self._lock:
            threads = {thread for _, known_kind, thread in self._all if known_kind == kind}
            if this_thread in threads and any(thread in running for thread in threads - {this_thread}):
                others = sum(1 for _, known_kind, thread in self._all if known_kind == kind and thread != this_thread)
                raise ContractArgumentError(
                    f"{call}: another running thread defined {others} of the interactions. Use a separate Contract "
                    "for each thread, or `with interaction.serve() as server:`.",
                    code="ERR_CONTRACT_OTHER_THREAD",
                    operation=call,
                )
            self._all = [entry for entry in self._all if entry[1] != kind]

    def take_these(self, interactions: Iterable[NativeInteraction]) -> None:
        """Remove these interactions, because they are now served."""
        removed = {id(interaction) for interaction in interactions}
        with self._lock:
            self._all = [entry for entry in self._all if id(entry[0]) not in removed]
