"""Converts arguments of calls to the form that the core reads."""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, cast

from . import _native
from .errors import ContractArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# pytest omits the frames of this module from tracebacks.
__tracebackhide__ = True

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Frames to skip when looking for the user's line: those of this package and of contextlib (ExitStack).
_BETWEEN = (_PACKAGE, os.path.dirname(os.path.abspath(os.__file__)) + os.sep + "contextlib.py")

UNSET = _native.UNSET


class ContractWarning(UserWarning):
    """A warning about an interaction that other Pact tools would interpret differently, or that probably contains a mistake."""


def place() -> str:
    """Return the location of the user's code that called this package, as ``file:line``."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # inspect.stack() reads source files
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_BETWEEN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def warn(texts: Iterable[str]) -> None:
    """Issue warnings that point to the line of user code that called this package."""
    for text in texts:
        depth = 1
        frame = sys._getframe(0)  # pyright: ignore[reportPrivateUsage]  # as above
        while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_BETWEEN):
            frame = frame.f_back
            depth += 1
        warnings.warn(text, ContractWarning, stacklevel=depth)


_variables: list[str] = []


def run_facts() -> dict[str, object]:
    """Return the facts from which the core determines to which test run this process belongs."""
    if not _variables:
        _variables.extend(_native.run_variables())
    variables = {name: value for name in _variables if (value := os.environ.get(name))}
    # The workers of pytest-xdist belong to the same run.
    run = variables.get("CONTRACT_RUN_ID") or os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run:
        variables["CONTRACT_RUN_ID"] = run
    return {"variables": variables, "channel": False, "parent": os.getppid()}


class _Current:
    """The running test. The attributes are None while no test runs."""

    file: str | None = None
    test: str | None = None


current = _Current()


def call_context(origin: str = "") -> str:
    """Return the context of a call for the core: settings from the environment, the call site, and the running test."""
    writer: dict[str, object] = {"run": run_facts()}
    if current.file is not None and os.environ.get("CONTRACT_REMOVE_OBSOLETE") != "false":
        writer |= {"file": current.file, "test": current.test}
    return json.dumps(
        {
            "directory": os.environ.get("CONTRACT_OUTPUT_DIR") or None,
            "overwrite": os.environ.get("CONTRACT_OVERWRITE"),
            "variants": os.environ.get("CONTRACT_VARIANTS"),
            "variant": os.environ.get("CONTRACT_VARIANT"),
            "runner_timeout": 0,
            "origin": origin,
            "writer": json.dumps(writer),
        }
    )


def path_data(operation: str, name: str, path: object) -> Any:
    """Convert a path to a string. None and UNSET are returned unchanged."""
    if isinstance(path, bytes):
        return os.fsdecode(path)
    if isinstance(path, os.PathLike):
        return os.fsdecode(cast("os.PathLike[str]", path))
    if path is None or path is UNSET or isinstance(path, str):
        return path
    raise ContractArgumentError(
        f"{operation}: {name} must be a path, received a value of type {type(path).__name__}",
        code="ERR_CONTRACT_DIRECTORY",
        operation=operation,
        argument=name,
    )


def bytes_data(operation: str, value: object) -> object:
    """Convert bytes to base64 for the core. None and UNSET are returned unchanged."""
    import base64

    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(cast("bytes", value)).decode("ascii")}
    if value is None or value is UNSET:
        return value
    raise ContractArgumentError(
        f"{operation}: the body must be bytes, received a value of type {type(value).__name__}",
        code="ERR_CONTRACT_BODY",
        operation=operation,
        argument="body",
    )


def pairs_data(values: Any) -> object:
    """Convert an iterable of pairs to a list. Other values are returned unchanged."""
    from collections.abc import Iterable, Mapping

    iterable: object = values
    is_plain = isinstance(iterable, (str, bytes, Mapping, list)) or not isinstance(iterable, Iterable)
    return values if is_plain else list(values)


def without_unset(values: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments without those that are UNSET or None."""
    return {name: value for name, value in values.items() if value is not None and value is not UNSET}
