"""Messages of a provider over HTTP, for verifiers in any language."""

import asyncio
import json

import pytest

from contract import Contract, ContractError, ContractWarning, Verifier, message_endpoint
from support import request


def ask(url, description, **more):
    return request(url, "POST", {"description": description, **more})


def test_messages_over_http(tmp_path):
    calls = []

    async def placed(name, states):
        await asyncio.sleep(0)
        calls.append((name, [state.name for state in states]))
        return {"contents": {"id": 7}, "metadata": {"topic": "orders"}}

    def fails():
        raise RuntimeError("out of paper")

    contract = Contract("web", "orders")
    contract.upon_receiving("an order was placed", "Async").given("open").with_body({"id": 7}).with_metadata(topic="orders")
    contract.write_file(tmp_path)
    with message_endpoint({"an order was placed": placed, "printed": fails, "known": b"\x00"}) as endpoint:
        verifier = Verifier("orders").add_source(tmp_path)
        verifier.add_transport(protocol="message", port=int(endpoint.url.rpartition(":")[2]))
        with pytest.warns(ContractWarning, match="no state handler is registered"):
            verifier.verify()
        assert calls == [("an order was placed", ["open"])]
        answer = ask(endpoint.url, "an order was placed", providerStates=[{"name": "a"}])
        assert (answer.status, answer.json) == (200, {"id": 7})
        assert answer.headers["Pact-Message-Metadata"]
        assert (ask(endpoint.url, "known").body, calls[1][1]) == (b"\x00", ["a"])
        answer = ask(endpoint.url, "printed")
        assert answer.status == 500
        assert b"RuntimeError: out of paper" in answer.body
        answer = ask(endpoint.url, "printd")
        assert answer.status == 404
        assert b'"printed"' in answer.body
        assert request(endpoint.url).status == 405
        assert request(endpoint.url, "POST", b"{").status == 400
        assert ask(endpoint.url, "an order was placed").status == 200
    with pytest.raises(ContractError, match="is not running"):
        _ = endpoint.url
    with endpoint:
        assert ask(endpoint.url, "known").status == 200


def test_handler_timeouts_and_unknown_messages():
    async def never():
        await asyncio.Event().wait()

    with message_endpoint({"x": never, "y": {"id": 7}}, timeout=50) as endpoint:
        answer = ask(endpoint.url, "x")
        assert (answer.status, b"did not finish within 50 ms" in answer.body) == (500, True)
        assert ask(endpoint.url, "y").json == {"id": 7}
    for refused in (lambda: message_endpoint(7), lambda: message_endpoint({}, timeout=0), lambda: message_endpoint({7: print})):
        with pytest.raises(TypeError, match="message_endpoint"):
            refused()


def test_runs_as_a_wsgi_application():
    endpoint = message_endpoint(lambda request: json.dumps({"asked": request.description}))
    with message_endpoint({}) as other:
        # Any WSGI server can be used. This one is in the standard library.
        from contract._apps import start_app
        from contract._asynchronous import Awaiter

        running = start_app(endpoint, "wsgi", Awaiter())
        try:
            assert json.loads(ask(running.url, "anything").body) in ({"asked": "anything"}, '{"asked": "anything"}')
            assert ask(other.url, "anything").status == 404
        finally:
            running.close()
