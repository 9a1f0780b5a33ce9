"""Tests the pytest plugin in a separate pytest process."""

import json
import os
import re

import pytest

CONSUMER = """
    import urllib.request

    def ask(url):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url) as answer:
            return answer.status

    def test_one(contract_session):
        orders = contract_session.contract("web", "orders")
        orders.upon_receiving("one").with_request("GET", "/one").will_respond_with(200)
        with orders.serve() as server:
            assert ask(server / "one") == 200

    def test_two(contract_session):
        orders = contract_session.contract("web", "orders")
        orders.upon_receiving("two").with_request("GET", "/two").will_respond_with(200)
        with orders.serve() as server:
            assert ask(server / "two") == 200
        assert len(contract_session.contracts) == 1
"""

PROVIDER = """
    import pytest
    from contract import Verifier

    def app(environ, start_response):
        start_response("200 OK" if environ["PATH_INFO"] in {good} else "404 Not Found", [])
        return []

    def verifier():
        return Verifier("orders").add_source("contracts").add_transport(app=app)

    @pytest.mark.contract_provider(verifier=verifier)
    def test_contract(contract_interaction):
        contract_interaction.verify()

    def test_all_ended():
        import threading
        assert [one.name for one in threading.enumerate() if one.name == "contract-app"] == {left}
"""


@pytest.fixture
def run(pytester):
    def run(*args):
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *args)

    return run


def test_a_consumer_and_its_provider(pytester, run):
    pytester.makepyfile(test_consumer=CONSUMER)
    pytester.makeini("[pytest]\ncontract_dir = contracts\n")
    run().assert_outcomes(passed=2)
    assert '"one"' in (pytester.path / "contracts" / "web-orders.json").read_text()
    (pytester.path / "test_consumer.py").unlink()
    pytester.makepyfile(test_provider=PROVIDER.format(good='{"/one", "/two"}', left='["contract-app"]'))
    result = run("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*test_contract[[]one[]] PASSED*", "*test_contract[[]two[]] PASSED*"])
    pytester.makepyfile(test_provider=PROVIDER.format(good='{"/one"}', left='["contract-app"]'))
    result = run("-k", "test_contract")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Expected status 200 but was 404*"])


def test_the_directory_as_an_option(pytester, run):
    pytester.makepyfile(CONSUMER)
    run("--contract-dir", "elsewhere").assert_outcomes(passed=2)
    assert (pytester.path / "elsewhere" / "web-orders.json").exists()


def test_workers_of_one_run_write_one_file(pytester, run):
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import urllib.request
        import pytest

        @pytest.mark.parametrize("number", range(12))
        def test_one(contract_session, number):
            orders = contract_session.contract("web", "orders", write_mode="overwrite") if not contract_session.contracts else (
                contract_session.contracts[0])
            orders.upon_receiving(str(number)).with_request("GET", f"/{number}").will_respond_with(200)
            with orders.serve() as server:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{server.url}/{number}").close()
        """
    )
    for _ in range(2):
        run("-p", "xdist", "-n", "3", "--contract-dir", "out").assert_outcomes(passed=12)
        text = (pytester.path / "out" / "web-orders.json").read_text()
        assert text.count('"description"') == 12


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("", "needs @pytest.mark.contract_provider"),
        ("@pytest.mark.contract_provider()", "needs @pytest.mark.contract_provider"),
        ("@pytest.mark.contract_provider(7)", "requires a Verifier"),
        ("@pytest.mark.contract_provider(verifier=lambda: 7)", "requires a Verifier"),
        ('@pytest.mark.contract_provider(Verifier("orders").add_source("nowhere"))', "nowhere"),
    ],
)
def test_mistakes(pytester, run, marker, said):
    pytester.makepyfile(
        f"""
        import pytest
        from contract import Verifier

        {marker}
        def test_contract(contract_interaction):
            contract_interaction.verify()
        """
    )
    result = run()
    assert result.ret != 0
    assert said in result.stdout.str() + result.stderr.str()


def test_rejects_options_for_an_existing_contract(pytester, run):
    pytester.makepyfile(
        """
        import pytest

        def test_one(contract_session):
            contract_session.contract("web", "orders", seed=7)
            with pytest.raises(ValueError, match="already exists"):
                contract_session.contract("web", "orders", seed=8)
        """
    )
    run().assert_outcomes(passed=1)


OBSOLETE = """
    import os
    import pytest
    import urllib.request

    def use(contract_session, *names):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
        orders = contract_session.contract("web", "orders")
        for name in names:
            orders.upon_receiving(name).with_request("GET", "/" + name).will_respond_with(200)
        with orders.serve() as server:
            for name in names:
                opener.open(server / name).close()
"""
TESTS = {
    "one": "def test_one(contract_session): use(contract_session, 'one')",
    "two": "def test_two(contract_session): use(contract_session, 'two')",
    "both": "def test_one(contract_session): use(contract_session, 'one', 'more')",
    "skipped": "@pytest.mark.skip\ndef test_two(contract_session): pass",
    "failed": "def test_two(contract_session): assert False",
}


def define(pytester, file, *names):
    text = "\n".join(line.removeprefix("    ") for line in OBSOLETE.replace("{{}}", "{}").splitlines())
    (pytester.path / file).write_text(text + "\n\n" + "\n".join(TESTS[name] for name in names), encoding="utf-8")


def remember(monkeypatch, tmp_path_factory):
    """Separate test runs with a separate cache of the written interactions."""
    cache = str(tmp_path_factory.mktemp("cache"))
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, cache)
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST")]:
        monkeypatch.delenv(name)


def descriptions(pytester):
    text = (pytester.path / "contracts" / "web-orders.json").read_text(encoding="utf-8")
    return [one["description"] for one in json.loads(text)["interactions"]]


def test_removes_obsolete_interactions(pytester, monkeypatch, tmp_path_factory):
    remember(monkeypatch, tmp_path_factory)
    pytester.makeini("[pytest]\ncontract_dir = contracts\ncontract_remove_obsolete = true")
    numbers = iter(range(100))

    def run(*arguments):
        # Two runs in the same process would have the same identity.
        monkeypatch.setenv("CONTRACT_RUN_ID", str(next(numbers)))
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist", *arguments)

    define(pytester, "test_a.py", "both", "two")
    define(pytester, "test_b.py", "two")
    run()
    assert descriptions(pytester) == ["more", "one", "two"]
    # "two" also belongs to another file.
    define(pytester, "test_a.py", "one")
    run("-k", "one")
    run("test_a.py::test_one")
    assert descriptions(pytester) == ["more", "one", "two"]
    result = run()
    assert descriptions(pytester) == ["one", "two"]
    result.stdout.fnmatch_lines(["contract: removed *more*web-orders.json: no test defines it anymore"])
    for state in ("skipped", "failed"):
        define(pytester, "test_b.py", state)
        run()
        assert descriptions(pytester) == ["one", "two"]
    (pytester.path / "test_b.py").unlink()
    monkeypatch.setenv("CONTRACT_REMOVE_OBSOLETE", "false")
    run()
    assert descriptions(pytester) == ["one", "two"]
    monkeypatch.delenv("CONTRACT_REMOVE_OBSOLETE")
    run()
    assert descriptions(pytester) == ["one"]


def test_removes_obsolete_interactions_with_xdist(pytester, monkeypatch, tmp_path_factory):
    remember(monkeypatch, tmp_path_factory)
    pytester.makeini("[pytest]\ncontract_dir = contracts\ncontract_remove_obsolete = true")
    define(pytester, "test_a.py", "both", "two")
    pytester.runpytest_subprocess("-n", "2")
    assert descriptions(pytester) == ["more", "one", "two"]
    define(pytester, "test_a.py", "one")
    result = pytester.runpytest_subprocess("-n", "2")
    assert descriptions(pytester) == ["one"]
    result.stdout.fnmatch_lines(["contract: removed *two*web-orders.json: no test defines it anymore"])


def test_removes_nothing_by_default(pytester, monkeypatch, tmp_path_factory):
    remember(monkeypatch, tmp_path_factory)
    pytester.makeini("[pytest]\ncontract_dir = contracts")
    define(pytester, "test_a.py", "both")
    for run, names in (("first", "both"), ("second", "one")):
        monkeypatch.setenv("CONTRACT_RUN_ID", run)
        define(pytester, "test_a.py", names)
        pytester.runpytest_inprocess("-p", "no:xdist")
    assert descriptions(pytester) == ["more", "one"]


def test_tracebacks_end_at_the_line_of_the_test(pytester):
    pytester.makepyfile(
        """
        from contract import Contract, Verifier, match

        def test_a_request_that_never_came():
            contract = Contract("web", "orders")
            contract.upon_receiving("one").with_request("GET", "/one").will_respond_with(200)
            with contract.serve():
                pass

        def test_an_argument():
            Contract("web", "orders").upon_receiving("one").with_body({1, 2})

        def test_a_matcher():
            match.int("x")

        def test_a_source():
            Verifier("orders").add_source("nowhere")
        """
    )
    shown = pytester.runpytest_inprocess("-p", "no:xdist").stdout.str()
    assert "4 failed" in shown
    # The traceback contains no frames or values of this package between the user's line and the error.
    assert not re.search(r"contract.(server|interaction|match|verifier|_functions|_call)\.py:\d+: ", shown)
    for line in ("with contract.serve():", "with_body({1, 2})", 'match.int("x")', 'add_source("nowhere")'):
        assert line in shown


@pytest.mark.parametrize("options", [[], ["-n", "1"]])
def test_the_run_reports_contracts_without_a_file_once(pytester, options):
    pytester.makepyfile(
        """
        import urllib.request
        import pytest
        from contract import Contract

        contract = Contract("web", "orders")

        @pytest.mark.parametrize("number", [1, 2])
        def test_order(number):
            contract.upon_receiving(f"{number}").with_request("GET", "/").will_respond_with(200)
            with contract.serve() as server:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(server.url).close()
        """
    )
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=2)
    said = "contract: the tests of the contract between web and orders passed, but no contract file was written."
    assert (result.stdout.str() + result.stderr.str()).count(said) == 1
