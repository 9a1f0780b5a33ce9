"""Reports of verifications in the formats of others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from . import _native

if TYPE_CHECKING:
    import os

    from .types import VerificationReport

__tracebackhide__ = True

ReportFormat = Literal["json", "junit", "markdown", "html", "github"]
"""``json`` (the report itself), ``junit`` (XML for CI systems), ``markdown``, ``html`` or ``github`` (annotations)."""


def format_report(report: VerificationReport | str, format: ReportFormat) -> str:
    """Give a report, or its JSON text, as text in a format.

    :raises ValueError: a format that there is not, or what is no report
    """
    return _native.format_report(_text(report), format)


def write_report(report: VerificationReport | str, format: ReportFormat, path: str | os.PathLike[str]) -> None:
    """Write a report, or its JSON text, to a file; directories on the way are made.

    :raises ValueError: a format that there is not, or what is no report
    :raises ContractFileError: when it cannot be written
    """
    _native.write_report(_text(report), format, path)


def _text(report: VerificationReport | str) -> str:
    return report if isinstance(report, str) else json.dumps(report)
