"""Converts verification reports to other formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from . import _native

if TYPE_CHECKING:
    import os

    from .types import VerificationReport

__tracebackhide__ = True

ReportFormat = Literal["json", "junit", "markdown", "html", "github"]
"""``json`` (the report itself), ``junit`` (XML for CI systems), ``markdown``, ``html``, or ``github`` (annotations)."""


def format_report(report: VerificationReport | str, format: ReportFormat) -> str:
    """Return a report in another format.

    :param report: the report, or its JSON text
    :raises ValueError: if the format is unknown, or if the value is not a report
    """
    return _native.format_report(_text(report), format)


def write_report(report: VerificationReport | str, format: ReportFormat, path: str | os.PathLike[str]) -> None:
    """Convert a report to another format and write it to a file. Missing directories are created.

    :param report: the report, or its JSON text
    :raises ValueError: if the format is unknown, or if the value is not a report
    :raises ContractFileError: if the file cannot be written
    """
    _native.write_report(_text(report), format, path)


def _text(report: VerificationReport | str) -> str:
    return report if isinstance(report, str) else json.dumps(report)
