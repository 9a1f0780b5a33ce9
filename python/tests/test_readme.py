"""Runs the code of the README and of the Python page of the documentation. Defines the user code that it imports."""

import json
import re
import sys
import types

import pytest

from support import ROOT, request

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "python" / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(block, **names):
        exec(compile(block, "README.md", "exec"), names)
        return names

    return run


class OrdersClient:
    def __init__(self, url):
        self._url = url

    def order(self, number):
        return types.SimpleNamespace(**request(f"{self._url}/orders/{number}").json)


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"id": 7, "status": "shipped", "lines": [{"sku": "AB-2"}]}).encode()]


def modules(monkeypatch, **names):
    """Provide modules with these values, which stand for the user's own modules."""
    for name, values in names.items():
        parts = name.split("__")
        for end in range(1, len(parts) + 1):
            module = types.ModuleType(".".join(parts[:end]))
            monkeypatch.setitem(sys.modules, module.__name__, module)
        vars(module).update(values)


def test_code_blocks_run_in_order_in_one_directory(run, tmp_path, monkeypatch):
    run(BLOCKS[0], OrdersClient=OrdersClient)["test_shows_an_order"]()
    assert (tmp_path / "contracts" / "web-orders.json").exists()
    orders, invoices = [], []
    modules(monkeypatch, orders__app={"app": app, "store": types.SimpleNamespace(add=orders.append)})
    run(BLOCKS[1])["test_fulfills_its_contracts"]()
    assert orders == [7]
    modules(monkeypatch, invoices={"store": types.SimpleNamespace(add=invoices.append)})
    run(BLOCKS[4])
    assert invoices == [{"id": 7}]
    assert (tmp_path / "contracts" / "invoices-orders.json").exists()


def test_the_page_of_the_documentation_runs(run, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    consumer, provider = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    run(consumer, OrdersClient=OrdersClient)["test_shows_an_order"]()
    orders = []
    modules(monkeypatch, orders__app={"app": app, "store": types.SimpleNamespace(add=orders.append)})
    run(provider)["test_fulfills_its_contracts"]()
    assert orders == [7]


def test_pytest(pytester):
    from contract import Contract

    contract = Contract("web", "orders")
    contract.upon_receiving("a request for an order").with_request("GET", "/orders/7").will_respond_with(200)
    contract.write_file(pytester.path / "contracts")
    app = "def app(environ, start_response): ...\n"
    pytester.makepyfile("import pytest\nfrom contract import Verifier, Contract, match\n" + app + BLOCKS[2])
    result = pytester.runpytest_subprocess("--collect-only", "-q")
    assert "test_order" in result.stdout.str()
    assert "a request for an order" in result.stdout.str()
