"""Rejects interpreters that the native core does not support."""

from __future__ import annotations

import sys

__all__ = ["check"]


def check() -> None:
    """Raise an exception in free-threaded builds of Python.

    The core is compiled for the stable ABI, which these builds do not support. Importing it there would fail with an unclear
    error.

    :raises ImportError: with instructions
    """
    if "free-threading build" in sys.version:
        raise ImportError(
            f"contract does not support free-threaded builds of Python ({sys.version.split()[0]}, {sys.executable}). "
            "Use the default build of this version",
            name="contract",
        )
