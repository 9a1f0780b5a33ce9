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
    """Record that a method of the interaction is being called. Its arguments are evaluated next."""
    _pending.set(interaction)


def end() -> None:
    """Record that no call is pending, because the method has received its arguments."""
    _pending.set(None)


def matcher(call: str, arguments: Mapping[str, object]) -> str:
    """Create a matcher in the core. If this fails, the interaction of the pending call becomes incomplete."""
    try:
        return _native.matcher(call, arguments)
    except ContractArgumentError as error:
        interaction = _pending.get()
        if interaction is not None:
            interaction.abort_call(str(error))
        _pending.set(None)
        raise
