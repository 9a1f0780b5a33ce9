"""The README's code runs as it stands there; what it takes from elsewhere is made up here."""

import json
import re
import sys
import types

import pytest

from contract import match
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


def test_consumer_and_provider(run, tmp_path, monkeypatch):
    run(BLOCKS[0], OrdersClient=OrdersClient)["test_shows_an_order"]()
    assert (tmp_path / "contracts" / "web-orders.json").exists()
    added = []
    module = types.ModuleType("orders.app")
    module.app, module.store = app, types.SimpleNamespace(add=added.append)
    monkeypatch.setitem(sys.modules, "orders", types.ModuleType("orders"))
    monkeypatch.setitem(sys.modules, "orders.app", module)
    run(BLOCKS[1])["test_honours_its_contracts"]()
    assert added == [7]


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


def test_messages(run, tmp_path):
    from contract import Contract, Verifier

    added = []
    contract = Contract("web", "orders", directory=tmp_path / "contracts")
    names = {"invoices": types.SimpleNamespace(add=added.append), "json": json, "contract": contract, "match": match}
    run(BLOCKS[4], Verifier=Verifier, **names)
    assert added == [{"id": 7}]
