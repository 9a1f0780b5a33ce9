"""What pytest gets from this package; it is there as soon as the package is installed.

**A consumer's tests.** The fixture ``contract_session`` gives the contracts of the test run, one for each pair of names, with the
directory of the option ``--contract-dir`` or the ini value ``contract_dir``:

>>> def test_order(contract_session):
...     orders = contract_session.contract("web", "orders")
...     orders.upon_receiving("a request for an order").with_request("GET", "/orders/7").will_respond_with(200)
...     with orders.serve() as server:
...         OrderClient(server.url).get(7)

**A provider's tests.** A test with the marker ``contract_provider`` that uses the fixture ``contract_interaction`` becomes one test
for each interaction. The marker takes a ``Verifier``, or a function that makes one; applications start with the first test of the
module and stop after the last:

>>> @pytest.mark.contract_provider(verifier=lambda: Verifier("orders").add_source("./contracts").add_transport(app=app))
... def test_contract(contract_interaction):
...     contract_interaction.verify()

**Interactions that no test defines any more.** With the ini value ``contract_remove_obsolete`` or the option
``--contract-remove-obsolete`` they go from contract files: when the test file that wrote one ran to its end, and the test that
wrote it passed without it or is not there any more. Those of tests that were skipped or failed stay, and so does what other test
files and other tools write; nothing goes when only some of the tests were chosen. What a deleted test file wrote goes with the end
of another one that writes the same contract.
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
    """The contracts of a test run."""

    def __init__(self, directory: str | None) -> None:
        """Begin without contracts."""
        self.directory = directory
        """Where contract files go; None when nobody has said."""
        self._contracts: dict[tuple[str, str], Contract] = {}

    def contract(self, consumer: str, provider: str, **options: Any) -> Contract:
        """Give the contract of a consumer with a provider: the same one to all tests of the run.

        :param options: those of :class:`contract.Contract`, for the first call of a pair; default for ``directory`` is that of
            this session
        :raises ValueError: options in a later call, which would come too late
        """
        known = self._contracts.get((consumer, provider))
        if known is None:
            if self.directory is not None:
                options.setdefault("directory", self.directory)
            known = self._contracts[(consumer, provider)] = Contract(consumer, provider, **options)
        elif options:
            from .errors import ContractArgumentError

            raise ContractArgumentError(
                f"contract_session.contract: the contract of {consumer} with {provider} is there already, and options come too "
                "late; give them where it is made first, such as in a fixture of conftest.py",
                code="ERR_CONTRACT_OPTIONS",
                operation="contract_session.contract",
            )
        return known

    @property
    def contracts(self) -> list[Contract]:
        """All of them, in the order in which they were made."""
        return list(self._contracts.values())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the directory."""
    group = parser.getgroup("contract", "consumer-driven contract testing")
    group.addoption("--contract-dir", metavar="DIR", help="where contract_session writes contract files")
    group.addoption(
        "--contract-remove-obsolete",
        action="store_true",
        default=None,
        help="remove interactions from contract files that no test defines any more",
    )
    parser.addini(
        "contract_remove_obsolete", "remove interactions from contract files that no test defines any more", "bool", False
    )
    parser.addini("contract_dir", "where contract_session writes contract files, relative to the root directory")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "contract_provider(verifier=…): the test is run for each interaction of the verifier, or of the one that a function makes; "
        "it uses the fixture contract_interaction",
    )

    unwritten.is_reported = True
    config.pluginmanager.register(_Unwritten(), "contract_unwritten")
    is_asked = config.getoption("--contract-remove-obsolete")
    if is_asked if is_asked is not None else config.getini("contract_remove_obsolete"):
        config.pluginmanager.register(_Obsolete(config), "contract_obsolete")


class _Unwritten:
    """Says at the end of the run which contracts have no file."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        # A worker of pytest-xdist has no terminal: the process that started it says it.
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
    """Tells the core which test writes, and how tests ended."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # With pytest-xdist workers run the tests, and the process that started them gets all reports.
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
        """That of the workers, when there are some; None when it is not known."""
        run = run_facts()
        distributed: Any = self._config.pluginmanager.get_plugin("dsession")
        if distributed is not None and not os.environ.get("CONTRACT_RUN_ID"):
            number = getattr(getattr(distributed, "nodemanager", None), "testrunuid", None)
            if number is None:
                return None
            cast("dict[str, str]", run["variables"])["CONTRACT_RUN_ID"] = number
        return run

    def _is_partial(self, session: pytest.Session) -> bool:
        """Whether not all tests of the files ran that are there."""
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
    """Give the contracts of the test run; see :class:`ContractSession`."""
    directory: str | None = pytestconfig.getoption("--contract-dir")
    if directory is None:
        ini = pytestconfig.getini("contract_dir")
        directory = str(pytestconfig.rootpath / ini) if ini else None
    return ContractSession(directory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for each interaction."""
    if "contract_interaction" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("contract_provider")
    given = [] if marker is None else [*marker.args, *marker.kwargs.values()]
    if marker is None or len(given) != 1 or not {"verifier"}.issuperset(marker.kwargs):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid} uses contract_interaction and needs @pytest.mark.contract_provider(verifier=…)"
        )
    verifier = _verifier_of(metafunc, given[0])
    listed = verifier.prepare().interactions()
    groups = len({one.group for one in listed})
    ids = [one.title if groups < 2 else f"{one.group}: {one.title}" for one in listed]
    metafunc.parametrize("contract_interaction", listed, ids=ids, indirect=True)


def _verifier_of(metafunc: pytest.Metafunc, given: Any) -> Verifier:
    """The verifier of a marker; one that a function makes is the same for all tests of the module."""
    make: object = given
    verifier: object = given
    if callable(make):
        module = cast("Any", metafunc).module
        made = cast("dict[str, dict[object, object]]", vars(module)).setdefault("_made_for_contract_provider", {})
        if make not in made:
            made[make] = make()
        verifier = made[make]
    if not isinstance(verifier, Verifier):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: contract_provider takes a Verifier, or a function that makes one, got "
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
    """Give the interaction that the test is for; see :class:`contract.ListedInteraction`."""
    interaction: ListedInteraction = request.param
    _contract_verifiers.add(interaction.verifier)
    return interaction
