"""Interpreters that the native core does not work in."""

from __future__ import annotations

import sys

__all__ = ["check"]


def check() -> None:
    """Refuse a free-threaded build of Python.

    The core is compiled for the stable ABI, which such builds do not have: importing it there fails in ways that say nothing.

    :raises ImportError: with what to do
    """
    if "free-threading build" in sys.version:
        raise ImportError(
            f"contract does not work in free-threaded builds of Python, and this is one ({sys.version.split()[0]}, "
            f"{sys.executable}): use the ordinary build of this version",
            name="contract",
        )
