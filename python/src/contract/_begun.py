"""Which thread began which interaction, so that tests in several threads do not take those of each other unnoticed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .errors import ContractArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._native import NativeInteraction


class Begun:
    """The interactions of a contract that nobody has served or verified yet."""

    def __init__(self) -> None:
        """Begin without any."""
        self._all: list[tuple[NativeInteraction, str, int]] = []
        self._lock = threading.Lock()

    def add(self, interaction: NativeInteraction, kind: str) -> None:
        """Note the thread that began an interaction."""
        with self._lock:
            self._all.append((interaction, kind, threading.get_ident()))

    def take(self, call: str, kind: str) -> None:
        """Forget those of a kind: they are taken.

        :raises ContractArgumentError: when this thread and another that runs have begun some
        """
        own = threading.get_ident()
        running = {thread.ident for thread in threading.enumerate()}
        with self._lock:
            threads = {thread for _, known, thread in self._all if known == kind}
            if own in threads and any(thread in running for thread in threads - {own}):
                others = sum(1 for _, known, thread in self._all if known == kind and thread != own)
                raise ContractArgumentError(
                    f"{call}: {others} of the interactions were begun by another thread, which still runs. Use a Contract of its own "
                    "for each thread, or `with interaction.serve() as server:`.",
                    code="ERR_CONTRACT_OTHER_THREAD",
                    operation=call,
                )
            self._all = [one for one in self._all if one[1] != kind]

    def take_these(self, interactions: Iterable[NativeInteraction]) -> None:
        """Forget these."""
        taken = {id(one) for one in interactions}
        with self._lock:
            self._all = [one for one in self._all if id(one[0]) not in taken]
