"""Messages of consumers and providers."""

import asyncio
import json

import pytest

from contract import (
    Contract,
    ContractArgumentError,
    Message,
    MessageError,
    MessageVerificationError,
    VerificationError,
    Verifier,
    body_handler,
    match,
)


def events(directory=None):
    contract = Contract("warehouse", "orders", directory=directory)
    event = contract.upon_receiving("an order was placed", "Async").given("an order exists", parameters={"id": 7})
    event.with_body({"id": match.int(7), "total": match.number(19.5)}).with_metadata({"topic": "orders", "part": match.int(3)})
    return contract


def test_a_handler_receives_contents_and_metadata(tmp_path):
    seen = []
    assert events(tmp_path).verify(lambda body, metadata: seen.append((body, metadata)), "Async") == []
    ((body, metadata),) = seen
    assert json.loads(body) == {"id": 7, "total": 19.5}
    assert metadata["topic"] == "orders"
    assert metadata["part"] == 3
    assert (tmp_path / "warehouse-orders.json").exists()


def test_a_handler_with_three_parameters_receives_the_message():
    seen = []

    def handler(body, metadata, message):
        seen.append(message)

    events().verify(handler, "Async")
    (message,) = seen
    assert isinstance(message, Message)
    assert (message.description, message.kind, message.content_type) == ("an order was placed", "Async", "application/json")
    assert message.json == {"id": 7, "total": 19.5}
    assert message.provider_states[0].parameters == {"id": 7}


def test_body_handler_receives_only_the_contents():
    seen = []
    events().verify(body_handler(seen.append), "Async")
    assert seen == [{"id": 7, "total": 19.5}]
    contract = Contract("warehouse", "orders")
    contract.upon_receiving("text", "Async").with_body("hello", "text/plain")
    contract.upon_receiving("bytes", "Async").with_binary_body(b"\xff\x00", "application/x-a")
    seen.clear()
    contract.verify(body_handler(seen.append), "Async")
    assert sorted(seen, key=str) == [b"\xff\x00", "hello"]


def test_coroutine_functions():
    seen = []

    async def handler(body, metadata):
        await asyncio.sleep(0)
        seen.append(body)

    events().verify(handler, "Async")

    async def inside():
        events().verify(handler, "Async")

    asyncio.run(inside())
    assert len(seen) == 2


def test_a_handler_that_raises(tmp_path):
    def handler(body, metadata):
        raise KeyError("total")

    contract = events(tmp_path)
    with pytest.raises(MessageVerificationError, match="KeyError: 'total'") as caught:
        contract.verify(handler, "Async")
    (error,) = caught.value.errors
    assert isinstance(error, MessageError)
    assert error.description == "an order was placed"
    assert isinstance(error.__cause__, KeyError)
    assert error.error is error.__cause__ is caught.value.__cause__
    assert list(tmp_path.iterdir()) == []
    (error,) = events().verify(handler, "Async", raises=False)
    assert "KeyError" in str(error)


def test_the_response_that_a_handler_returns_is_compared():
    def contract():
        made = Contract("web", "prices")
        question = made.upon_receiving("a question", "Sync").with_body({"isbn": match.str("978")})
        question.will_respond_with().with_body({"price": match.number(12.5)})
        return made

    assert contract().verify(lambda body, metadata: {"price": 7}, "Sync") == []
    assert contract().verify(lambda body, metadata: None, "Sync") == []
    answer = {"contents": {"price": 3}, "content_type": "application/json", "metadata": {"a": "b"}}
    assert contract().verify(lambda body, metadata: answer, "Sync") == []
    with pytest.raises(MessageVerificationError) as caught:
        contract().verify(lambda body, metadata: {"price": "seven"}, "Sync")
    assert caught.value.errors[0].mismatches[0]["path"] == "$.price"
    assert contract().verify(lambda body, metadata: {"price": "seven"}, "Sync", check_response=False) == []
    for odd in ({1, 2}, object(), lambda: None, float("nan"), {"price": {1}}):
        with pytest.raises(MessageVerificationError):
            contract().verify(lambda body, metadata, odd=odd: odd, "Sync")


def test_mistakes():
    with pytest.raises(ContractArgumentError, match="function"):
        events().verify("no handler", "Async")
    for kind in ("HTTP", "Other", 7):
        with pytest.raises(ValueError, match="kind"):
            events().verify(print, kind)
    with pytest.raises(TypeError, match="kind"):
        events().verify(print, "HTTP")
    with pytest.raises(ValueError, match="."):
        Contract("a", "b").verify(print, "Async")
    contract = Contract("a", "b")
    contract.upon_receiving("nothing", "Async")
    with pytest.raises(MessageVerificationError, match="no contents"):
        contract.verify(lambda body, metadata: None, "Async")
    contract.upon_receiving("nothing", "Async")
    contract.verify(lambda body, metadata: None, "Async", allow_empty=True)


def test_ctrl_c_interrupts_a_handler(tmp_path):
    def handler(body, metadata):
        raise KeyboardInterrupt

    contract = events(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        contract.verify(handler, "Async")
    assert list(tmp_path.iterdir()) == []


def written(tmp_path):
    events(tmp_path).verify(lambda body, metadata: None, "Async")
    return tmp_path


@pytest.mark.parametrize(
    "handler",
    [
        {"an order was placed": lambda: {"contents": {"id": 1, "total": 2}, "metadata": {"topic": "orders", "part": 4}}},
        {
            "an order was placed": {
                "contents": b'{"id": 1, "total": 2}',
                "content_type": "application/json",
                "metadata": {"topic": "orders", "part": 4},
            }
        },
        lambda name, metadata: {"contents": {"id": 1, "total": 2.5}, "metadata": {**metadata, "asked": name}},
        lambda request: {"contents": {"id": request.state_values["id"], "total": 1}, "metadata": dict(request.metadata)},
        lambda *, name, states: {"contents": {"id": states[0].parameters["id"], "total": 1}, "metadata": {"topic": "orders", "part": 1}},
    ],
)
def test_message_handlers_of_the_provider(tmp_path, handler):
    verifier = Verifier("orders").add_source(written(tmp_path)).message_handler(handler)
    verifier.state_handler({"an order exists": lambda action, parameters: parameters}).verify()


def test_a_message_handler_can_be_a_coroutine_function(tmp_path):
    async def order(name, metadata):
        await asyncio.sleep(0)
        return {"contents": {"id": 1, "total": 2}, "metadata": {"topic": "orders", "part": 4}}

    def verifier():
        return Verifier("orders").add_source(written(tmp_path)).message_handler(order).state_handler(
            {"an order exists": lambda action, parameters: None}
        )

    verifier().verify()

    async def inside():
        await verifier().verify_async()
        verifier().verify()

    asyncio.run(inside())


def test_a_message_handler_that_returns_another_message_fails(tmp_path):
    verifier = Verifier("orders").add_source(written(tmp_path)).message_handler(lambda: {"id": "one"})
    with pytest.raises(VerificationError, match="to be an integer"):
        verifier.state_handler(lambda state, action, parameters: None).verify()

    def fails():
        raise LookupError("no such order")

    verifier = Verifier("orders").add_source(tmp_path).message_handler({"an order was placed": fails})
    with pytest.raises(VerificationError, match="LookupError: no such order") as caught:
        verifier.state_handler(lambda state, action, parameters: None).verify()
    assert isinstance(caught.value.__cause__, LookupError)
    for handler in (7, None, {"a": object()}, {"a": {"content_type": "x", "metadata": {}}}):
        with pytest.raises(TypeError):
            Verifier("orders").message_handler(handler)
