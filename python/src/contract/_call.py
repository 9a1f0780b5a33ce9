"""How a call of Python's becomes one of the core's."""

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

# pytest leaves the frames of such modules out of tracebacks: the line of the test is what its author wants to see.
__tracebackhide__ = True

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Frames of the standard library that stand between the user's line and ours, as of an ExitStack.
_BETWEEN = (_PACKAGE, os.path.dirname(os.path.abspath(os.__file__)) + os.sep + "contextlib.py")

UNSET = _native.UNSET


class ContractWarning(UserWarning):
    """Something that other tools would read in another way than it was meant, or that hides a mistake."""


def place() -> str:
    """Where in the user's code this package was called: ``file:line``."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # inspect.stack() reads source files
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_BETWEEN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def warn(texts: Iterable[str]) -> None:
    """Tell the user's line what is odd about it."""
    for text in texts:
        depth = 1
        frame = sys._getframe(0)  # pyright: ignore[reportPrivateUsage]  # as above
        while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_BETWEEN):
            frame = frame.f_back
            depth += 1
        warnings.warn(text, ContractWarning, stacklevel=depth)


_variables: list[str] = []


def run_facts() -> dict[str, object]:
    """What tells the core which run of tests this process belongs to."""
    if not _variables:
        _variables.extend(_native.run_variables())
    variables = {name: value for name in _variables if (value := os.environ.get(name))}
    # The workers of pytest-xdist belong to one run.
    run = variables.get("CONTRACT_RUN_ID") or os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run:
        variables["CONTRACT_RUN_ID"] = run
    return {"variables": variables, "channel": False, "parent": os.getppid()}


class _Current:
    """The test that runs, if a runner tells."""

    file: str | None = None
    test: str | None = None


current = _Current()


def around(origin: str = "") -> str:
    """What is around a consumer's test, for the core."""
    writer: dict[str, object] = {"run": run_facts()}
    if current.file is not None and os.environ.get("CONTRACT_REMOVE_OBSOLETE") != "false":
        writer |= {"file": current.file, "test": current.test}
    return json.dumps(
        {
            "directory": os.environ.get("CONTRACT_OUTPUT_DIR") or None,
            "overwrite": os.environ.get("CONTRACT_OVERWRITE"),
            "runner_timeout": 0,
            "origin": origin,
            "writer": json.dumps(writer),
        }
    )


def path_data(operation: str, name: str, path: object) -> Any:
    """A path for the core: texts as they are, other paths as texts."""
    if isinstance(path, bytes):
        return os.fsdecode(path)
    if isinstance(path, os.PathLike):
        return os.fsdecode(cast("os.PathLike[str]", path))
    if path is None or path is UNSET or isinstance(path, str):
        return path
    raise ContractArgumentError(
        f"{operation}: {name} must be a path, got a value of type {type(path).__name__}",
        code="ERR_CONTRACT_DIRECTORY",
        operation=operation,
        argument=name,
    )


def bytes_data(operation: str, value: object) -> object:
    """Bytes for the core."""
    import base64

    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(cast("bytes", value)).decode("ascii")}
    if value is None or value is UNSET:
        return value
    raise ContractArgumentError(
        f"{operation}: the body must be bytes, got a value of type {type(value).__name__}",
        code="ERR_CONTRACT_BODY",
        operation=operation,
        argument="body",
    )


def pairs_data(values: Any) -> object:
    """Pairs as a list, where something that is no list gives them; mappings stay what they are."""
    from collections.abc import Iterable, Mapping

    given: object = values
    is_plain = isinstance(given, (str, bytes, Mapping, list)) or not isinstance(given, Iterable)
    return values if is_plain else list(values)


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Without what stands for "not given", be it UNSET or None."""
    return {name: value for name, value in values.items() if value is not None and value is not UNSET}
