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
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

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
    parser.addini("contract_dir", "where contract_session writes contract files, relative to the root directory")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "contract_provider(verifier=…): the test is run for each interaction of the verifier, or of the one that a function makes; "
        "it uses the fixture contract_interaction",
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
