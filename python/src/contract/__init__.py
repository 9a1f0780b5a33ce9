"""Consumer-driven contract testing, with a native core.

Consumer tests run against a mock provider and record the consumer's expectations in a contract file. The verifier replays the
contract file against the real provider.

>>> from contract import Contract, Verifier, generate, match
"""

from __future__ import annotations

import json as _json
import os as _os
import warnings as _warnings
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._interpreter import check as _check

_check()

from . import _native, errors, generate, graphql, match, xml
from ._call import UNSET, ContractWarning
from ._functions import Headers, InteractionInfo, MessageRequest, Request, RequestContext
from ._matcher import Generator, Matcher
from .broker import Broker, BrokerSelectorBuilder
from .contract import Contract
from .endpoint import MessageEndpoint, message_endpoint
from .errors import (
    BrokerError,
    ContractArgumentError,
    ContractError,
    ContractFileError,
    MessageError,
    MessageVerificationError,
    MismatchesError,
    MockServerError,
    ServeTimeoutError,
    VariantsError,
    VerificationError,
)
from .interaction import AsyncMessageInteraction, HttpInteraction, Interaction, SyncMessageInteraction
from .message import Message, MessageContents, MessageState, body_handler
from .reports import format_report, write_report
from .server import MockServer, serve_all
from .variants import ContractVariant, VariantAnswer
from .verifier import ListedInteraction, Verifier

if _TYPE_CHECKING:
    from . import types
else:

    def __getattr__(name: str) -> object:
        """Import the ``types`` module on first use, because creating its classes takes several milliseconds."""
        if name != "types":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        return importlib.import_module(".types", __name__)


__version__ = _native.__version__

__all__ = [
    "UNSET",
    "AsyncMessageInteraction",
    "Broker",
    "BrokerError",
    "BrokerSelectorBuilder",
    "Contract",
    "ContractArgumentError",
    "ContractError",
    "ContractFileError",
    "ContractVariant",
    "ContractWarning",
    "Generator",
    "Headers",
    "HttpInteraction",
    "Interaction",
    "InteractionInfo",
    "ListedInteraction",
    "Matcher",
    "Message",
    "MessageContents",
    "MessageEndpoint",
    "MessageError",
    "MessageRequest",
    "MessageState",
    "MessageVerificationError",
    "MismatchesError",
    "MockServer",
    "MockServerError",
    "Request",
    "RequestContext",
    "ServeTimeoutError",
    "SyncMessageInteraction",
    "VariantAnswer",
    "VariantsError",
    "VerificationError",
    "Verifier",
    "__version__",
    "body_handler",
    "errors",
    "example",
    "format_report",
    "generate",
    "graphql",
    "match",
    "message_endpoint",
    "serve_all",
    "types",
    "write_report",
    "xml",
]


def example(template: object) -> _Any:
    """Return the example value of a template, in which each matcher is replaced by its example.

    If an example is generated, the contract file contains the same one.
    """
    return _json.loads(_native.example_of(template))


def _log_by_default() -> None:
    level = _os.environ.get("CONTRACT_LOG_LEVEL")
    if level:
        try:
            _native.log_by_default(level)
        except ContractArgumentError as error:
            # An invalid variable must not prevent the import.
            _warnings.warn(f"CONTRACT_LOG_LEVEL: {error}", ContractWarning, stacklevel=3)


_log_by_default()
