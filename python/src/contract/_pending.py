"""The interaction that a method is being called on.

Python evaluates ``interaction.with_body`` before the arguments. If an argument raises an error, for example because a matcher
is invalid, the method is never called, and the interaction is incomplete.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from . import _native
from .errors import ContractArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._native import NativeInteraction

__tracebackhide__ = True

_pending: ContextVar[NativeInteraction | None] = ContextVar("pending", default=None)


def start(interaction: NativeInteraction) -> None:
    """Start a call. Its arguments are evaluated next."""
    _pending.set(interaction)


def end() -> None:
    """End the pending call."""
    _pending.set(None)


def matcher(call: str, arguments: Mapping[str, object]) -> str:
    """Create a matcher in the core. If this fails, the pending call is aborted."""
    try:
        return _native.matcher(call, arguments)
    except ContractArgumentError as error:
        interaction = _pending.get()
        if interaction is not None:
            interaction.abort_call(str(error))
        _pending.set(None)
        raise
