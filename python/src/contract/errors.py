"""The exceptions of this package.

``ContractArgumentError`` is a ``ValueError`` and a ``TypeError``; all other exceptions are a ``RuntimeError``. Check ``code``
instead of the message. The message of an exception ends with its code.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .types import BrokerNotice, FailedVariant, Mismatch, ServerMismatch, VerificationReport

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
    "VariantsError",
    "VerificationError",
]


def _with_code(message: str, code: str) -> str:
    """Append the code to a message with one line, or add it as the last line."""
    text = without_code(message).rstrip()
    return f"{text}{chr(10) if chr(10) in text else ' '}[{code}]" if text else message


def without_code(message: str) -> str:
    """Remove the code from the end of a message, because the message becomes part of another message."""
    return re.sub(r"\s\[ERR_CONTRACT_\w+\]\s*$", "", message)


class ContractError(RuntimeError):
    """The base class of the exceptions of this package, except :class:`ContractArgumentError`."""

    code: str
    """The stable error code, such as ``ERR_CONTRACT_FILE_IO``. Check this instead of the message."""

    def __init__(self, message: str = "", *, code: str = "ERR_CONTRACT") -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        """Return the message, followed by the code."""
        return _with_code(super().__str__(), self.code)


class ContractArgumentError(ValueError, TypeError):
    """An invalid argument. The call that received it had no effect."""

    code: str
    """The stable error code, such as ``ERR_CONTRACT_OPTIONS``. Check this instead of the message."""
    operation: str | None
    """The call that received the argument, such as ``with_header``, ``match.each_like``, or ``serve``. None if it is unknown."""
    argument: str | None
    """The name of the argument. None if the error does not concern a single argument."""
    place: str | None
    """The location in the argument or the interaction, such as ``$.items[0]`` or ``"X-Id"``. None if the error concerns the whole
    argument.
    """
    origin: str | None
    """The location of the interaction's definition, as ``file:line``. None if the error does not concern an interaction."""

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

    def __str__(self) -> str:
        """Return the message, followed by the code."""
        return _with_code(super().__str__(), self.code)


class MockServerError(ContractError):
    """The mock server could not be started."""

    host: str | None
    """The host on which the server could not listen. None if the address did not cause the error."""
    port: int | None
    """The port on which the server could not listen. None if the address did not cause the error."""
    errno: int | None
    """The operating system's error number. None if no system call failed."""

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
    """A file or directory could not be read or written. Existing files are unchanged. Also a ``ValueError``."""

    path: str
    """The path of the file or directory."""

    def __init__(self, message: str = "", *, code: str = "ERR_CONTRACT_FILE", path: str = "") -> None:
        super().__init__(message, code=code)
        self.path = path


class MismatchesError(ContractError):
    """The consumer sent unexpected requests, or did not send all expected requests.

    ``__cause__`` is the exception of the test itself, if it raised one.
    """

    mismatches: list[ServerMismatch]
    """One entry for each unexpected request and each missing request."""
    logs: str
    """The requests that the server received, one per line, starting with the time (UTC). Secrets are redacted."""

    def __init__(
        self,
        message: str = "",
        mismatches: Sequence[ServerMismatch] = (),
        *,
        logs: str = "",
        colored: str | None = None,
    ) -> None:
        super().__init__(message, code="ERR_CONTRACT_MISMATCHES")
        self.mismatches = list(mismatches)
        self.logs = logs
        self._colored = colored

    def format(self, *, color: bool = False) -> str:
        """Return the message. If ``color`` is True, it contains terminal colors."""
        return _with_code(self._colored, self.code) if color and self._colored is not None else str(self)


class ServeTimeoutError(ContractError, TimeoutError):
    """The block of ``serve`` took longer than its timeout. Also a ``TimeoutError``."""

    timeout: int
    """The timeout in milliseconds."""
    logs: str
    """The requests that the server received, one per line, starting with the time (UTC). Secrets are redacted."""

    def __init__(self, message: str = "", *, timeout: int = 0, logs: str = "") -> None:
        super().__init__(message, code="ERR_CONTRACT_TIMEOUT")
        self.timeout = timeout
        self.logs = logs


class BrokerError(ContractError):
    """A call to a broker failed.

    ``code`` is one of ``ERR_CONTRACT_BROKER_UNREACHABLE``, ``…_TIMEOUT``, ``…_TLS``, ``…_UNAUTHORIZED``, ``…_FORBIDDEN``,
    ``…_NOT_FOUND``, ``…_CONFLICT``, ``…_REFUSED``, ``…_FAILED``, ``…_NOT_A_BROKER``, ``…_TOO_LARGE``, ``…_UNSUPPORTED``, and
    ``…_SETTINGS``. If no request was sent, it is ``ERR_CONTRACT_SOURCE``, ``ERR_CONTRACT_FILE``, ``ERR_CONTRACT_NO_VERSION``,
    ``ERR_CONTRACT_NO_BRANCH``, or ``ERR_CONTRACT_TWO_SYSTEMS``.
    """

    status: int | None
    """The HTTP status of the broker's response. None if there was no response."""
    notices: list[BrokerNotice]
    """The broker's notices, such as a diff from the published content. Empty if there are none."""
    published: list[str]
    """The contracts that ``publish`` had already published before it failed, such as ``web 1.4.0 → orders``."""

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


class VariantsError(ContractError):
    """A test passes with the example, but fails with another answer that the contract allows.

    ``__cause__`` is the exception of the first failure. ``code`` is ``ERR_CONTRACT_VARIANTS``, ``ERR_CONTRACT_VARIANTS_UNSTABLE``
    if the test both fails and passes with the same answer, or ``ERR_CONTRACT_VARIANTS_UNREAD`` if it does not read a field of the
    answer.
    """

    failures: list[FailedVariant]
    """One entry for each failure that was narrowed down to a variant or a combination of variants."""
    tried: int
    """The number of variants that were tried."""
    answers: int
    """The number of responses or messages that were served in addition to the example."""
    left_out: list[str]
    """The names of the variants that were not tried, for example because of the ``max`` option."""

    def __init__(self, report: Mapping[str, Any] | str = "") -> None:
        facts: Mapping[str, Any] = {"text": report} if isinstance(report, str) else report
        super().__init__(facts["text"], code=facts.get("code", "ERR_CONTRACT_VARIANTS"))
        self.failures = list(facts.get("failures", ()))
        self.tried = facts.get("tried", 0)
        self.answers = facts.get("answers", 0)
        self.left_out = list(facts.get("leftOut", ()))


class VerificationError(ContractError):
    """The provider does not satisfy a contract, or the results could not be published.

    The message describes the failures and has a maximum size. ``report`` and ``output`` contain the complete result. If a handler
    or an application raised an exception, it is the ``__cause__``. If several exceptions were raised, ``__cause__`` is an
    ``ExceptionGroup`` of the first ten (Python 3.10: the first exception), and ``causes`` contains all of them.
    """

    report: VerificationReport
    """The report of the verification."""
    output: str
    """The complete output of the verification, including passed interactions."""
    logs: list[str]
    """The last lines that the core logged during the verification."""
    causes: list[BaseException]
    """The exceptions that handlers and applications raised, without duplicates."""

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
    """A message failed. If the handler raised an exception, it is the ``__cause__``."""

    description: str
    """The description of the message."""
    mismatches: list[Mismatch]
    """Differences between the handler's response and the response in the contract. Empty if the message failed for another
    reason.
    """

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
        """The exception that the handler raised, or this error if it raised none."""
        return self.__cause__ or self


class MessageVerificationError(ContractError):
    """At least one message failed.

    If a handler raised an exception, it is the ``__cause__``. If several exceptions were raised, ``__cause__`` is an
    ``ExceptionGroup`` of the first ten (Python 3.10: the first exception).
    """

    errors: list[MessageError]
    """One error for each failed message, in the order of the contract."""

    def __init__(self, message: str = "", errors: Sequence[MessageError] = ()) -> None:
        super().__init__(message, code="ERR_CONTRACT_MESSAGES")
        self.errors = list(errors)


_GROUPED = 10
"""Maximum number of exceptions in a group. It is limited because each of them prints its own traceback."""


def distinct(errors: Iterable[BaseException | None]) -> list[BaseException]:
    """Return the exceptions without duplicates."""
    return list({id(error): error for error in errors if error is not None}.values())


def combined(text: str, errors: Sequence[BaseException]) -> BaseException | None:
    """Return a group of the exceptions. Return None if there are none, and the exception itself if there is only one."""
    if sys.version_info >= (3, 11) and len(errors) > 1:
        message = f"{len(errors)} {text}" + (f" (first {_GROUPED} shown)" if len(errors) > _GROUPED else "")
        return BaseExceptionGroup(message, errors[:_GROUPED])
    return errors[0] if errors else None


def _create(  # pyright: ignore[reportUnusedFunction]  # the native module calls it
    kind: str, code: str, message: str, details: Mapping[str, str]
) -> Exception:
    """Create the exception for a failure that the core reported."""
    values: dict[str, Any] = dict(details)
    if code == "ERR_CONTRACT_NO_TRANSPORT":
        return ContractError(message, code=code)
    if kind == "argument":
        return ContractArgumentError(message, code=code, **values)
    if kind == "file":
        return ContractFileError(message, code=code, **values)
    if kind == "broker":
        return BrokerError(message, code=code, **{name: json.loads(value) for name, value in values.items()})
    if kind == "server":
        numbers = {name: int(value) for name, value in values.items() if name != "host"}
        return MockServerError(message, code=code, host=values.get("host"), **numbers)
    return ContractError(message, code=code)
