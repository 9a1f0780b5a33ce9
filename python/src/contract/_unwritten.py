"""Reports contracts whose tests passed but for which no contract file was written, at the end of the process or of the test
run.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 5


class _Unwritten:
    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], None] = {}
        self.is_reported = False
        """True if the pytest plugin reports these contracts, so that they are not reported again when the process ends."""

    def passed(self, consumer: str, provider: str) -> None:
        """Record that a test of the contract passed, but that no directory was set for the contract file."""
        if os.environ.get("CONTRACT_OUTPUT_DIR"):
            return
        if not self.pairs and not self.is_reported:
            atexit.register(self._print)
        self.pairs[(consumer, provider)] = None

    def written(self, consumer: str, provider: str) -> None:
        """Record that the contract file was written."""
        self.pairs.pop((consumer, provider), None)

    def _print(self) -> None:
        text = message(self.pairs)
        if text and not self.is_reported and sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
            print(text, file=sys.stderr)


unwritten = _Unwritten()


def message(pairs: Iterable[tuple[str, str]]) -> str | None:
    """Return the line to print, or None if there is no contract without a file."""
    names = [f"between {consumer} and {provider}" for consumer, provider in pairs]
    if not names:
        return None
    listed = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    noun = "contract" if len(names) == 1 else "contracts"
    return (
        f"contract: the tests of the {noun} {listed} passed, but no contract file was written. Pass directory= to "
        "Contract, or set CONTRACT_OUTPUT_DIR."
    )
