"""What this package raises.

``ContractArgumentError`` is both a ``ValueError`` and a ``TypeError``; everything else that goes wrong is a ``RuntimeError``.
Programs test ``code``; the text is for people.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .types import BrokerNotice, Mismatch, ServerMismatch, VerificationReport

__all__ = [
    "BrokerError",
    "ContractArgumentError",
    "ContractError",
    "ContractFileError",
    "MessageError",
    "MessageVerificationError",
    "MismatchesError",
    "MockServerError",
    "ServeTimeoutError",
    "VerificationError",
]


class ContractError(RuntimeError):
    """Base of the exceptions for what went wrong while this package worked."""

    code: str
    """Stable, ``ERR_CONTRACT_…``: what programs look at."""

    def __init__(self, message: str = "", *, code: str = "ERR_CONTRACT") -> None:
        super().__init__(message)
        self.code = code


class ContractArgumentError(ValueError, TypeError):
    """An argument that makes no sense, raised by the very call that it was given to. Nothing of that call stays."""

    code: str
    """Stable, ``ERR_CONTRACT_…``: what programs look at."""
    operation: str | None
    """The call that refused it: ``with_header``, ``match.each_like``, ``serve``."""
    argument: str | None
    """The argument that it refused."""
    place: str | None
    """Where in the argument, or in what is defined: ``$.items[0]``, ``"X-Id"``."""
    origin: str | None
    """Where the interaction was begun: ``file:line``."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "ERR_CONTRACT_ARGUMENTS",
        operation: str | None = None,
        argument: str | None = None,
        place: str | None = None,
        origin: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.operation = operation
        self.argument = argument
        self.place = place
        self.origin = origin


class MockServerError(ContractError):
    """The mock server could not be started."""

    host: str | None
    """The host that it was to listen on, when that is what the error is about."""
    port: int | None
    """The port that it was to listen on, when that is what the error is about."""
    errno: int | None
    """The operating system's number of the error, when it refused."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "ERR_CONTRACT_SERVER",
        host: str | None = None,
        port: int | None = None,
        errno: int | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.host = host
        self.port = port
        self.errno = errno


class ContractFileError(ContractError, ValueError):
    """A file or directory could not be read or written; what was on disk is as it was. A ``ValueError``, too: of the path."""

    path: str
    """The file or directory."""

    def __init__(self, message: str = "", *, code: str = "ERR_CONTRACT_FILE", path: str = "") -> None:
        super().__init__(message, code=code)
        self.path = path


class MismatchesError(ContractError):
    """The consumer did not do what its contract says, or not all of it.

    ``__cause__`` is the exception of the test itself, if it raised one.
    """

    mismatches: list[ServerMismatch]
    """One for each request that did not match, and for each interaction that was never requested."""
    logs: str
    """What the server saw, a line for each request, with the time of day in UTC. Secrets are blanked out."""

    def __init__(
        self,
        message: str = "",
        mismatches: Sequence[ServerMismatch] = (),
        *,
        logs: str = "",
        coloured: str | None = None,
    ) -> None:
        super().__init__(message, code="ERR_CONTRACT_MISMATCHES")
        self.mismatches = list(mismatches)
        self.logs = logs
        self._coloured = coloured

    def format(self, *, colour: bool = False) -> str:
        """Give the text, with colours for a terminal or without."""
        return self._coloured if colour and self._coloured is not None else str(self)


class ServeTimeoutError(ContractError, TimeoutError):
    """The block of ``serve`` took longer than its ``timeout``. A ``TimeoutError``, too."""

    timeout: int
    """How long it had, in milliseconds."""
    logs: str
    """What the server saw, a line for each request, with the time of day in UTC. Secrets are blanked out."""

    def __init__(self, message: str = "", *, timeout: int = 0, logs: str = "") -> None:
        super().__init__(message, code="ERR_CONTRACT_TIMEOUT")
        self.timeout = timeout
        self.logs = logs


class BrokerError(ContractError):
    """A call to a broker had no success. The code says why.

    ``ERR_CONTRACT_BROKER_UNREACHABLE``, ``…_TIMEOUT``, ``…_TLS``, ``…_UNAUTHORIZED``, ``…_FORBIDDEN``, ``…_NOT_FOUND``,
    ``…_CONFLICT``, ``…_REFUSED``, ``…_FAILED``, ``…_NOT_A_BROKER``, ``…_TOO_LARGE``, ``…_UNSUPPORTED`` or ``…_SETTINGS``; and
    when nothing was sent, ``ERR_CONTRACT_SOURCE``, ``ERR_CONTRACT_FILE``, ``ERR_CONTRACT_NO_VERSION``,
    ``ERR_CONTRACT_NO_BRANCH`` or ``ERR_CONTRACT_TWO_SYSTEMS``.
    """

    status: int | None
    """The status of the broker's answer, if there was one."""
    notices: list[BrokerNotice]
    """What the broker wants people to know, such as the difference to what is published."""
    published: list[str]
    """What ``publish`` had published before it failed, as ``web 1.4.0 → orders``."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "ERR_CONTRACT_BROKER_FAILED",
        status: int | None = None,
        notices: Sequence[BrokerNotice] | None = None,
        published: Sequence[str] | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.notices = list(notices or ())
        self.published = list(published or ())


class VerificationError(ContractError):
    """The provider does not honour a contract.

    The text begins with what failed and is bounded; ``output`` has all of it. ``__cause__`` is what a handler or an
    application of yours raised, if that was why. If they raised several exceptions, ``__cause__`` is an ``ExceptionGroup`` of the
    first ten (Python 3.10: the first of them), and ``causes`` has all.
    """

    report: VerificationReport
    """Everything that was verified, and how it went."""
    output: str
    """All that the verification has to say to people: what passed, too."""
    logs: list[str]
    """What the core logged meanwhile; the last lines of it."""
    causes: list[BaseException]
    """What handlers and applications raised, each exception once."""

    def __init__(
        self,
        message: str = "",
        report: VerificationReport | None = None,
        *,
        output: str | None = None,
        logs: Sequence[str] = (),
        causes: Sequence[BaseException] = (),
    ) -> None:
        super().__init__(message, code="ERR_CONTRACT_VERIFICATION")
        if report is not None:
            self.report = report
        self.output = message if output is None else output
        self.logs = list(logs)
        self.causes = list(causes)


class MessageError(ContractError):
    """One message that its handler did not take as the contract says. ``__cause__`` is what the handler itself raised."""

    description: str
    """The description of the message."""
    mismatches: list[Mismatch]
    """How the response that the handler returned differs from the defined one."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "ERR_CONTRACT_MESSAGE",
        description: str = "",
        mismatches: Sequence[Mismatch] = (),
    ) -> None:
        super().__init__(message, code=code)
        self.description = description
        self.mismatches = list(mismatches)

    @property
    def error(self) -> BaseException:
        """What the handler raised, else this error itself."""
        return self.__cause__ or self


class MessageVerificationError(ContractError):
    """Messages that were not taken as the contract says.

    ``__cause__`` is what the handler raised; if it raised several exceptions, an ``ExceptionGroup`` of the first ten (Python 3.10:
    the first of them).
    """

    errors: list[MessageError]
    """One for each message that failed, in the order of the contract."""

    def __init__(self, message: str = "", errors: Sequence[MessageError] = ()) -> None:
        super().__init__(message, code="ERR_CONTRACT_MESSAGES")
        self.errors = list(errors)


_GROUPED = 10
"""Exceptions in a group that is a cause: each has a traceback of its own."""


def distinct(errors: Iterable[BaseException | None]) -> list[BaseException]:
    """Return the exceptions, each once."""
    return list({id(error): error for error in errors if error is not None}.values())


def together(text: str, errors: Sequence[BaseException]) -> BaseException | None:
    """Return one exception for all: none, the only one, or a group."""
    if sys.version_info >= (3, 11) and len(errors) > 1:
        shown = f"{len(errors)} {text}" + (f", of which these are the first {_GROUPED}" if len(errors) > _GROUPED else "")
        return BaseExceptionGroup(shown, errors[:_GROUPED])
    return errors[0] if errors else None


def _made(  # pyright: ignore[reportUnusedFunction]  # the native module calls it
    kind: str, code: str, message: str, details: Mapping[str, str]
) -> Exception:
    """Make the exception that a failure of the core is."""
    given: dict[str, Any] = dict(details)
    if code == "ERR_CONTRACT_NO_TRANSPORT":
        return ContractError(message, code=code)
    if kind == "argument":
        return ContractArgumentError(message, code=code, **given)
    if kind == "file":
        return ContractFileError(message, code=code, **given)
    if kind == "broker":
        return BrokerError(message, code=code, **{name: json.loads(value) for name, value in given.items()})
    if kind == "server":
        numbers = {name: int(value) for name, value in given.items() if name != "host"}
        return MockServerError(message, code=code, host=given.get("host"), **numbers)
    return ContractError(message, code=code)
