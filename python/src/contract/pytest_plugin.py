"""The pytest plugin. pytest loads it automatically if the package is installed.

**Consumer tests.** The ``contract_session`` fixture provides the contracts of the test run, one for each pair of consumer and
provider. The ``--contract-dir`` option or the ini value ``contract_dir`` sets the directory for the contract files:

>>> def test_order(contract_session):
...     orders = contract_session.contract("web", "orders")
...     orders.upon_receiving("a request for an order").with_request("GET", "/orders/7").will_respond_with(200)
...     with orders.serve() as server:
...         OrderClient(server.url).get(7)

**Provider tests.** A test with the ``contract_provider`` marker and the ``contract_interaction`` fixture runs once for each
interaction. The argument of the marker is a ``Verifier``, or a function that returns one. Applications start before the first test
of the module and stop after the last test:

>>> @pytest.mark.contract_provider(verifier=lambda: Verifier("orders").add_source("./contracts").add_transport(app=app))
... def test_contract(contract_interaction):
...     contract_interaction.verify()

**Obsolete interactions.** With the ini value ``contract_remove_obsolete`` or the ``--contract-remove-obsolete`` option,
interactions that no test defines anymore are removed from contract files. An interaction is removed if the test file that wrote it
ran completely, and the test that wrote it either passed without defining it or no longer exists. Interactions of skipped and failed
tests are kept, and so are interactions that another test file or tool also writes. Nothing is removed if only some of the tests
ran. Interactions of deleted test files are removed when another test file of the same contract ends.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, cast

import pytest

from . import _native
from ._call import current, run_facts
from ._unwritten import message, unwritten
from .contract import Contract
from .verifier import ListedInteraction, Verifier

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["ContractSession"]


class ContractSession:
    """The contracts that the tests of a run share."""

    def __init__(self, directory: str | None) -> None:
        """Create a session without contracts."""
        self.directory = directory
        """The directory for contract files, or None if it is not set."""
        self._contracts: dict[tuple[str, str], Contract] = {}

    def contract(self, consumer: str, provider: str, **options: Any) -> Contract:
        """Return the contract between a consumer and a provider. All tests of the run share it.

        :param options: the options of :class:`contract.Contract`. They can only be passed in the first call for these names.
            The default of ``directory`` is the directory of this session
        :raises ValueError: if a later call passes options
        """
        known = self._contracts.get((consumer, provider))
        if known is None:
            if self.directory is not None:
                options.setdefault("directory", self.directory)
            known = self._contracts[(consumer, provider)] = Contract(consumer, provider, **options)
        elif options:
            from .errors import ContractArgumentError

            raise ContractArgumentError(
                f"contract_session.contract: the contract between {consumer} and {provider} already exists, so options have no "
                "effect. Pass them in the first call, for example in a fixture in conftest.py",
                code="ERR_CONTRACT_OPTIONS",
                operation="contract_session.contract",
            )
        return known

    @property
    def contracts(self) -> list[Contract]:
        """All contracts, in the order in which they were created."""
        return list(self._contracts.values())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options and ini values of this plugin."""
    group = parser.getgroup("contract", "consumer-driven contract testing")
    group.addoption("--contract-dir", metavar="DIR", help="directory for the contract files of contract_session")
    group.addoption(
        "--contract-remove-obsolete",
        action="store_true",
        default=None,
        help="remove interactions that no test defines anymore from contract files",
    )
    parser.addini(
        "contract_remove_obsolete", "remove interactions that no test defines anymore from contract files", "bool", False
    )
    parser.addini("contract_dir", "directory for the contract files of contract_session, relative to the root directory")


def pytest_configure(config: pytest.Config) -> None:
    """Register the ``contract_provider`` marker, and the parts of the plugin that the options enable."""
    config.addinivalue_line(
        "markers",
        "contract_provider(verifier=…): run the test once for each interaction of a Verifier, or of the Verifier that a function "
        "returns. The test must use the fixture contract_interaction",
    )

    unwritten.is_reported = True
    config.pluginmanager.register(_Unwritten(), "contract_unwritten")
    is_asked = config.getoption("--contract-remove-obsolete")
    if is_asked if is_asked is not None else config.getini("contract_remove_obsolete"):
        config.pluginmanager.register(_Obsolete(config), "contract_obsolete")


class _Unwritten:
    """Reports contracts for which no contract file was written, at the end of the run."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        # A worker of pytest-xdist has no terminal, so the process that started the worker prints the report.
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["contract_unwritten"] = [list(pair) for pair in unwritten.pairs]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for consumer, provider in getattr(node, "workeroutput", {}).get("contract_unwritten", ()):
            unwritten.pairs[(consumer, provider)] = None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        text = message(unwritten.pairs)
        if text is not None:
            terminalreporter.write_line(text)


class _Obsolete:
    """Reports to the core which test writes each interaction and how the tests ended, so that it can remove obsolete interactions."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # With pytest-xdist, the workers run the tests, and the process that started them receives all reports.
        self._is_worker = hasattr(config, "workerinput")
        self._files: dict[str, dict[str, str]] = {}
        self._deselected = False
        self._removed: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        current.file, current.test = self._place(item.nodeid)
        yield
        current.file = current.test = None

    def _place(self, node: str) -> tuple[str, str]:
        file, _, test = node.partition("::")
        return str(self._config.rootpath / file), test

    def pytest_deselected(self, items: Any) -> None:
        self._deselected = self._deselected or bool(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file, test = self._place(report.nodeid)
        tests = self._files.setdefault(file, {})
        if report.outcome != "passed":
            tests[test] = report.outcome
        else:
            tests.setdefault(test, report.outcome)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker or os.environ.get("CONTRACT_REMOVE_OBSOLETE") == "false":
            return
        run = self._run()
        if run is None:
            return
        is_partial = self._is_partial(session)
        for file, tests in self._files.items():
            ended = [{"name": name, "status": status} for name, status in tests.items()]
            facts = {"run": run, "file": file, "tests": ended, "complete": True, "partial": is_partial}
            self._removed += json.loads(_native.end_test_file(json.dumps(facts)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self._removed:
            terminalreporter.write_line(line)

    def _run(self) -> dict[str, object] | None:
        """Return the facts that identify the run and that are the same in all workers, or None if they are unknown."""
        run = run_facts()
        distributed: Any = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None and not os.environ.get("CONTRACT_RUN_ID"):
            number = getattr(getattr(distributed, "nodemanager", None), "testrunuid", None)
            if number is None:
                return None
            cast("dict[str, str]", run["variables"])["CONTRACT_RUN_ID"] = number
        return run

    def _is_partial(self, session: pytest.Session) -> bool:
        """Return whether only some of the tests ran."""
        options: Any = self._config.option
        chosen = ("keyword", "markexpr", "deselect", "lf", "stepwise", "maxfail", "collectonly", "ignore", "ignore_glob")
        return (
            self._deselected
            or any(getattr(options, name, None) for name in chosen)
            or any("::" in argument for argument in self._config.args)
            or bool(session.shouldstop)
            or bool(session.shouldfail)
            or session.exitstatus not in (0, 1)
        )


@pytest.fixture(scope="session")
def contract_session(pytestconfig: pytest.Config) -> ContractSession:
    """Return the contracts that the tests of a run share. See :class:`ContractSession`."""
    directory: str | None = pytestconfig.getoption("--contract-dir")
    if directory is None:
        ini = pytestconfig.getini("contract_dir")
        directory = str(pytestconfig.rootpath / ini) if ini else None
    return ContractSession(directory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Create one test for each interaction if the test function uses ``contract_interaction``."""
    if "contract_interaction" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("contract_provider")
    arguments = [] if marker is None else [*marker.args, *marker.kwargs.values()]
    if marker is None or len(arguments) != 1 or not {"verifier"}.issuperset(marker.kwargs):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid} uses contract_interaction and needs @pytest.mark.contract_provider(verifier=…)"
        )
    verifier = _verifier_of(metafunc, arguments[0])
    listed = verifier.prepare().interactions()
    groups = len({item.group for item in listed})
    ids = [item.title if groups < 2 else f"{item.group}: {item.title}" for item in listed]
    metafunc.parametrize("contract_interaction", listed, ids=ids, indirect=True)


def _verifier_of(metafunc: pytest.Metafunc, argument: Any) -> Verifier:
    """Return the verifier in a marker's argument. If the argument is a function, it is called once, and all tests of the module
    share the verifier.
    """
    make: object = argument
    verifier: object = argument
    if callable(make):
        module = cast("Any", metafunc).module
        verifiers = cast("dict[str, dict[object, object]]", vars(module)).setdefault("_made_for_contract_provider", {})
        if make not in verifiers:
            verifiers[make] = make()
        verifier = verifiers[make]
    if not isinstance(verifier, Verifier):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: contract_provider requires a Verifier or a function that returns one, received "
            f"a value of type {type(verifier).__name__}"
        )
    return verifier


@pytest.fixture(scope="module")
def _contract_verifiers() -> Generator[set[Verifier], None, None]:  # pyright: ignore[reportUnusedFunction]
    used: set[Verifier] = set()
    yield used
    for verifier in used:
        verifier.close()


@pytest.fixture
def contract_interaction(
    request: pytest.FixtureRequest, _contract_verifiers: set[Verifier]
) -> ListedInteraction:
    """Return the interaction that the test verifies. See :class:`contract.ListedInteraction`."""
    interaction: ListedInteraction = request.param
    _contract_verifiers.add(interaction.verifier)
    return interaction
