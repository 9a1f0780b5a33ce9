"""Interpreters that the native core does not work in."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

__all__ = ["check"]


def check() -> None:
    """Refuse a free-threaded build, unless the core was compiled for this very one.

    That of wheels is for the stable ABI, which free-threaded builds do not have: importing it there fails in ways that
    say nothing.

    :raises ImportError: with what to do
    """
    found = find_spec("contract._native")
    # The first suffix names this version and build; others may name any.
    if found is not None and found.origin is not None and found.origin.endswith(EXTENSION_SUFFIXES[0]):
        return
    raise ImportError(
        f"contract has no wheel for free-threaded builds of Python, and this is one ({sys.version.split()[0]}, "
        f"{sys.executable}): use the ordinary build of this version, or install from source with "
        "`pip install --no-binary contract contract`, which needs Rust; there the GIL is on while contract is imported",
        name="contract",
    )
