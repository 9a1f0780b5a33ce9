"""The core's own functions: its log and its version.

The log is silent by default. Each call may be repeated, and the last one holds. Levels, from silence to everything, in any
case: ``OFF``; ``ERROR``: what failed; ``WARN``: requests that did not match, and what else is odd; ``INFO``: servers, files,
verified interactions; ``DEBUG``: each request; ``TRACE``: everything. Secrets are blanked out.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contract import _native
from contract.errors import ContractArgumentError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

__all__ = ["LogRecord", "log_to_file", "log_to_logging", "log_to_stderr", "set_logger", "version"]


@dataclass(frozen=True)
class LogRecord:
    """One thing that the core has to tell."""

    level: str
    """``ERROR``, ``WARN``, ``INFO``, ``DEBUG`` or ``TRACE``."""
    time: float
    """Seconds since 1970."""
    target: str
    """The part of the core, such as ``contract::mock_server``."""
    message: str


def log_to_stderr(level: str = "INFO") -> None:
    """Turn the core's log on standard error on, off or to another level, for the whole process.

    Until then the environment variable CONTRACT_LOG_LEVEL says the level.

    :raises ValueError: a level that there is not
    """
    _native.log_to_stderr(level)


def log_to_file(path: str | os.PathLike[str], level: str = "INFO") -> None:
    """Append the core's log to a file, for the whole process; ``OFF`` closes it.

    :raises ValueError: a level that there is not, or what is no path
    :raises ContractFileError: when the file cannot be opened
    """
    _native.log_to_file(path, level)


def set_logger(logger: Callable[[LogRecord], object] | None, level: str = "INFO") -> None:
    """Give the core's log to a function, called on a thread of its own; None takes it away.

    A logger that raises is not called again. Of more than ten thousand records that wait, the latest are left out.

    :raises ValueError: a level that there is not
    :raises TypeError: what is no function
    """
    if logger is None:
        _native.stop_records()
        return
    if not callable(logger):
        raise ContractArgumentError(
            f"contract_ffi.set_logger: the logger must be a function or None, got a value of type {type(logger).__name__}",
            code="ERR_CONTRACT_OPTIONS",
            operation="contract_ffi.set_logger",
            argument="logger",
        )
    records = _native.take_records(level)

    def tell() -> None:
        while (waiting := records.next()) is not None:
            for name, at, target, message in waiting:
                logger(LogRecord(name, at / 1000, target, message))

    threading.Thread(target=tell, name="contract-log", daemon=True).start()


_LEVELS = {
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": logging.DEBUG - 5,
}


def log_to_logging(level: str = "INFO", name: str = "contract") -> None:
    """Give the core's log to Python's ``logging``, under the logger ``name`` with the core's part below it.

    :raises ValueError: a level that there is not
    """

    def tell(record: LogRecord) -> None:
        part = record.target.replace("::", ".").removeprefix("contract.")
        logger = logging.getLogger(name if part == "contract" else f"{name}.{part}")
        number = _LEVELS[record.level]
        if logger.isEnabledFor(number):
            made = logger.makeRecord(logger.name, number, record.target, 0, record.message, (), None)
            made.created, made.msecs = record.time, record.time % 1 * 1000
            logger.handle(made)

    set_logger(tell, level)


def version() -> str:
    """Give the version of the core."""
    return _native.__version__
