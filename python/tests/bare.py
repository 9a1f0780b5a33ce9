"""Checks that the wheel works without any other package. Runs as a script, without pytest.

`python bare.py DIRECTORY` writes a contract to the directory and verifies it. The last line of the output is `works`.
"""

import importlib.metadata
import json
import sys
import urllib.request
from pathlib import Path

import contract
import contract_ffi
from contract import Broker, BrokerError, Contract, MismatchesError, VerificationError, Verifier, match, message_endpoint

directory = Path(sys.argv[1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(url):
    with opener.open(url) as answer:
        return json.loads(answer.read())


def check(condition, what):
    if not condition:
        raise SystemExit(f"check failed: {what}")


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"id": 8, "more": True}).encode()]


others = {one.metadata["Name"] for one in importlib.metadata.distributions()} - {"contract", "pip", "setuptools", "wheel"}
check(not others, f"no other package is installed (found {others})")
check(importlib.metadata.requires("contract") is None, "the wheel has no requirements")
check(contract.__version__ == importlib.metadata.version("contract") == contract_ffi.version(), "the version")
check(Path(contract.__file__).with_name("py.typed").exists(), "py.typed")
check("pytest" not in sys.modules, "pytest is not imported")

orders = Contract("web", "orders", directory=directory)
orders.upon_receiving("an order").given("there is one").with_request("GET", "/7").will_respond_with(200).with_body({"id": match.int(7)})
with orders.serve() as server:
    check(get(server / "7") == {"id": 7}, "the response of the mock server")
orders.upon_receiving("another").with_request("GET", "/8").will_respond_with(200)
try:
    with orders.serve():
        pass
    check(False, "a missing request is reported")
except MismatchesError as error:
    check("GET /8" in str(error), "the message of the mismatch")

verifier = Verifier("orders").add_source(directory).add_transport(app=app)
verifier.state_handler({"there is one": lambda action, parameters: None}).verify()
check(verifier.results["summary"]["passed"] == 1, "the report")
try:
    Verifier("orders").add_source(directory).add_transport(url="http://127.0.0.1:1").verify()
    check(False, "an unreachable provider is reported")
except VerificationError as error:
    check("127.0.0.1:1" in str(error), "the message of the failure")
with message_endpoint({"a message": {"id": 7}}) as endpoint:
    with opener.open(endpoint.url, b'{"description": "a message"}') as answer:
        check(json.loads(answer.read()) == {"id": 7}, "the message")
try:
    Broker("http://127.0.0.1:1", retries=0).list_environments()
    check(False, "an unreachable broker is reported")
except BrokerError as error:
    check(error.code == "ERR_CONTRACT_BROKER_UNREACHABLE", "the error code for an unreachable broker")
print("works")
