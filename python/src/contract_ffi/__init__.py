"""Logging and version of the native core.

Logging is off by default. Each logging function can be called repeatedly; the last call takes effect. The levels are not case-sensitive:
``OFF``; ``ERROR`` (failures); ``WARN`` (also requests that did not match, and other problems); ``INFO`` (also servers, files, and
verified interactions); ``DEBUG`` (also each request); ``TRACE`` (all records). Secrets are redacted.
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
    """A log record."""

    level: str
    """``ERROR``, ``WARN``, ``INFO``, ``DEBUG``, or ``TRACE``."""
    time: float
    """Time in seconds since 1970-01-01 UTC."""
    target: str
    """The component that logged the record, such as ``contract::mock_server``."""
    message: str


def log_to_stderr(level: str = "INFO") -> None:
    """Set the level of the log on standard error, for the whole process.

    Until the first call, the environment variable CONTRACT_LOG_LEVEL sets the level.

    :raises ValueError: if the level is unknown
    """
    _native.log_to_stderr(level)


def log_to_file(path: str | os.PathLike[str], level: str = "INFO") -> None:
    """Append the log of the whole process to a file. The ``OFF`` level closes the file.

    :raises ValueError: if the level is unknown, or the path is invalid
    :raises ContractFileError: if the file cannot be opened
    """
    _native.log_to_file(path, level)


def set_logger(logger: Callable[[LogRecord], object] | None, level: str = "INFO") -> None:
    """Pass log records to a function, which is called on a separate thread. None removes the function.

    A logger that raises an exception is not called again. If more than 10,000 records are queued, further records are dropped.

    :raises ValueError: if the level is unknown
    :raises TypeError: if the logger is not a function
    """
    if logger is None:
        _native.stop_records()
        return
    if not callable(logger):
        raise ContractArgumentError(
            f"contract_ffi.set_logger: the logger must be a function or None, received a value of type {type(logger).__name__}",
            code="ERR_CONTRACT_OPTIONS",
            operation="contract_ffi.set_logger",
            argument="logger",
        )
    records = _native.take_records(level)

    def forward() -> None:
        while (waiting := records.next()) is not None:
            for name, at, target, message in waiting:
                logger(LogRecord(name, at / 1000, target, message))

    threading.Thread(target=forward, name="contract-log", daemon=True).start()


_LEVELS = {
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": logging.DEBUG - 5,
}


def log_to_logging(level: str = "INFO", name: str = "contract") -> None:
    """Pass log records to Python's ``logging``: to child loggers of the logger ``name``, one for each component.

    :raises ValueError: if the level is unknown
    """

    def forward(record: LogRecord) -> None:
        part = record.target.replace("::", ".").removeprefix("contract.")
        logger = logging.getLogger(name if part == "contract" else f"{name}.{part}")
        number = _LEVELS[record.level]
        if logger.isEnabledFor(number):
            log_record = logger.makeRecord(logger.name, number, record.target, 0, record.message, (), None)
            log_record.created, log_record.msecs = record.time, record.time % 1 * 1000
            logger.handle(log_record)

    set_logger(forward, level)


def version() -> str:
    """Return the version of the core, such as ``1.2.3``."""
    return _native.__version__
