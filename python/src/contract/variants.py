"""Runs tests against the other answers that a contract allows, such as answers with null or an empty list."""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ._asynchronous import Late, is_debugged
from ._call import place
from .errors import ContractArgumentError, MismatchesError, ServeTimeoutError, VariantsError, without_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._asynchronous import Awaiter
    from ._native import NativeServer, NativeVariants
    from .contract import Contract
    from .server import MockServer

__all__ = ["ContractVariant", "VariantAnswer"]

__tracebackhide__ = True


@dataclass(frozen=True)
class VariantAnswer:
    """The response that a test received in one run. ``check`` compares it with the test's result."""

    variant: str | None
    """The name of the variant, such as ``null@$.note``. None for the example."""
    interaction: str
    """The description of the interaction."""
    status: int
    """The status code of the response."""
    headers: Mapping[str, str]
    """The headers of the response."""
    body: Any
    """The body: parsed JSON, or the text of any other body. Generated values are those of the example."""


@dataclass(frozen=True)
class ContractVariant:
    """A response that the contract allows, to be tested in a separate test. ``Contract.variants`` creates it."""

    name: str
    """The name, such as ``null@$.note``, or ``example`` for the example."""
    kind: str | None
    """How the response differs from the example. None for the example."""
    place: str
    """Location of the value that differs, such as ``$.note``. Empty for the example."""
    interaction: str
    """The description of the interaction whose response differs. Empty for the example."""
    rule: str
    """Why the contract allows the value. Empty for the example."""
    value: str
    """The value that differs, as text. Empty for the example."""
    _contract: Contract = field(repr=False, compare=False)
    _suite: NativeVariants = field(repr=False, compare=False)
    _number: int = field(repr=False, compare=False)

    def serve(self) -> MockServer:
        """Return a mock server that sends this response. Use it in a ``with`` block.

        The interactions are written to the contract file once the tests of all responses have passed.

        :raises VariantsError: at the end of the block, if the block fails or sends requests that do not match the contract. For
            the example, the exception of the block or a ``MismatchesError`` is raised
        """
        from .server import MockServer

        name = None if self.kind is None else self.name
        contract = self._contract
        is_limited = contract._is_limited  # pyright: ignore[reportPrivateUsage]

        def start(context: str) -> NativeServer:
            return self._suite.serve(self._number, context)

        return MockServer(contract, {}, None, place(), is_limited, start=start, variant=name)

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def listed(contract: Contract, suite: NativeVariants) -> list[ContractVariant]:
    """Return the variants of a suite."""
    every = cast("list[dict[str, Any]]", json.loads(suite.list()))
    return [
        ContractVariant(**facts, _contract=contract, _suite=suite, _number=number) for number, facts in enumerate(every)
    ]


def split(call: str, variants: object) -> tuple[object, Callable[[Any, VariantAnswer], Any] | None]:
    """Separate ``check``, which only Python can call, from the options that the core reads."""
    if not isinstance(variants, Mapping):
        return variants, None
    options = dict(cast("Mapping[str, Any]", variants))
    check = options.pop("check", None)
    if check is not None and not callable(check):
        raise ContractArgumentError(
            f"{call}: variants: \"check\" must be a function, received a value of type {type(check).__name__}",
            code="ERR_CONTRACT_OPTIONS",
            operation=call,
            argument="variants",
        )
    return options, check


def without_check(call: str, variants: object, reason: str) -> object:
    """Return the options that the core reads. Raise an exception if they contain ``check``."""
    options, check = split(call, variants)
    if check is not None:
        raise ContractArgumentError(
            f"{call}: variants: \"check\" is not supported, because {reason}",
            code="ERR_CONTRACT_OPTIONS",
            operation=call,
            argument="variants",
        )
    return options


def run_variants(
    server: MockServer,
    test: Callable[[MockServer], Any],
    check: Callable[[Any, VariantAnswer], Any] | None,
    value: object,
    awaiter: Awaiter,
) -> None:
    """Run a test against the server's variants. With the example, it has passed and returned ``value``."""
    native = server._started()  # pyright: ignore[reportPrivateUsage]
    if not native.has_variants:
        return
    if check is not None:
        for example in json.loads(native.example_answers()):
            check(value, _answer(example))
    result = _snapshot(value) if native.searches_unread else None
    causes: list[Exception | None] = []
    ended: dict[str, object] | None = None
    while True:
        step = json.loads(native.next_variant(None if ended is None else json.dumps(ended)))
        answer = step["next"]
        if answer is None:
            if step["print"] is not None:
                print(step["print"], file=sys.stderr)
            if step["report"] is not None:
                run = step["report"]["failures"][0]["run"]
                raise VariantsError(step["report"]) from (causes[run] if run < len(causes) else None)
            return

        def attempt(answer: dict[str, Any] = answer) -> object:
            returned = test(server)
            is_late = server._is_limited and not goes_on()  # pyright: ignore[reportPrivateUsage]
            returned = awaiter.settled(returned, goes_on)
            if is_late:
                raise Late
            if check is not None and not answer["probe"]:
                check(returned, _answer(answer))
            return returned

        goes_on = limit(answer["timeout"])
        server._variant = answer["name"]  # pyright: ignore[reportPrivateUsage]
        try:
            returned, ended, cause = settle(attempt)
        finally:
            server._variant = None  # pyright: ignore[reportPrivateUsage]
        if answer["probe"]:
            if value is not None:
                ended["same"] = ended["end"] == "passed" and bool(returned == result)
        else:
            causes.append(cause)


def settle(attempt: Callable[[], object]) -> tuple[object, dict[str, object], Exception | None]:
    """Call a function. Return its value, a description for the core of how it ended, and its exception."""
    try:
        return attempt(), {"end": "passed"}, None
    except Late:
        return None, {"end": "timed_out"}, None
    except Exception as error:
        return None, {"end": "failed", "error": without_code(f"{type(error).__name__}: {error}")}, error


def limit(milliseconds: int) -> Callable[[], bool]:
    """Return a function that returns True before the timeout, and False afterwards."""
    began = time.monotonic()
    return lambda: not milliseconds or time.monotonic() - began < milliseconds / 1000 or is_debugged()


def variants_error(native: NativeServer, raised: Exception) -> Exception:
    """Return the exception with which a test that received one variant must fail."""
    own = raised.__cause__ if isinstance(raised, MismatchesError) else raised
    if own is None:
        ended: dict[str, object] = {"end": "passed"}
    elif isinstance(own, ServeTimeoutError):
        ended = {"end": "timed_out"}
    else:
        ended = {"end": "failed", "error": without_code(f"{type(own).__name__}: {own}")}
    report = json.loads(native.variant_report(json.dumps(ended)))
    if report is None:
        return raised
    error = VariantsError(report)
    error.__cause__ = own or raised
    return error


def _answer(answer: Mapping[str, Any]) -> VariantAnswer:
    return VariantAnswer(
        answer["name"], answer["interaction"], answer["status"] or 0, answer["headers"], answer["body"]
    )


def _snapshot(value: object) -> object:
    """Return a copy, because later runs may change the same object."""
    try:
        return copy.deepcopy(value)
    except Exception:
        # For example, a connection cannot be copied.
        return value
