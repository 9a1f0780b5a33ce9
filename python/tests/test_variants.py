"""Consumer tests that also run against the other answers that the contract allows."""

import asyncio
import json
import urllib.error
import urllib.request

import pytest

from contract import Contract, ContractArgumentError, MessageVerificationError, MismatchesError, VariantsError, match


def contract_with(body=None, **options):
    contract = Contract("web", "orders", **options)
    body = {"note": match.nullable("call first"), "state": match.regex("open", regex="open|paid")} if body is None else body
    contract.upon_receiving("order 7").with_request("GET", "/orders/7").will_respond_with(200).with_body(body)
    return contract


def load(server):
    with urllib.request.urlopen(server / "orders/7") as response:
        return json.load(response)


def written(directory):
    file = directory / "web-orders.json"
    return json.loads(file.read_text())["interactions"] if file.exists() else []


def test_the_function_runs_once_for_each_answer(tmp_path):
    seen = []

    def run(server):
        seen.append((server.variant, load(server)["note"]))
        return len(seen)

    assert contract_with(directory=tmp_path).serve(variants={"include": ["null", "branch"]}).run(run) == 1
    assert seen == [(None, "call first"), ("branch@$.state=paid", "call first"), ("null@$.note", None)]
    (interaction,) = written(tmp_path)
    assert interaction["response"]["body"]["content"] == {"note": "call first", "state": "open"}


def test_without_variants_the_function_runs_once(tmp_path):
    assert contract_with(directory=tmp_path).serve().run(load)["state"] == "open"
    assert len(written(tmp_path)) == 1
    with pytest.raises(MismatchesError):
        contract_with().serve(variants="all").run(lambda server: None)


def test_a_failed_variant_is_isolated(tmp_path):
    with pytest.raises(VariantsError) as raised:
        contract_with(directory=tmp_path, variants="default").serve().run(lambda server: len(load(server)["note"]))
    error = raised.value
    assert error.code == "ERR_CONTRACT_VARIANTS"
    assert isinstance(error.__cause__, TypeError)
    assert [(failure["name"], failure["reason"]) for failure in error.failures] == [("null@$.note", "error")]
    assert "CONTRACT_VARIANT='null@$.note'" in str(error)
    assert "TypeError: object of type 'NoneType' has no len()" in str(error)
    assert error.tried == 5
    assert written(tmp_path) == []


def test_a_failure_with_the_example_is_that_of_the_function():
    runs = []

    def run(server):
        runs.append(load(server))
        raise KeyError("broken")

    with pytest.raises(KeyError):
        contract_with().serve(variants="all").run(run)
    assert len(runs) == 1


def test_coroutine_functions_are_awaited_and_canceled():
    async def run(server):
        if (await asyncio.to_thread(load, server))["note"] is None:
            await asyncio.sleep(60)
        return server.url

    with pytest.raises(VariantsError) as raised:
        contract_with().serve(variants={"include": ["null"]}, timeout=2000).run(run)
    assert [failure["reason"] for failure in raised.value.failures] == ["timeout"]


def test_other_requests_are_named():
    def run(server):
        if load(server)["note"] is None:
            load(server)
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(server / "orders")

    with pytest.raises(VariantsError) as raised:
        contract_with().serve(variants={"include": ["null"]}).run(run)
    assert [failure["reason"] for failure in raised.value.failures] == ["requests"]
    assert "GET /orders" in str(raised.value)


def test_check_compares_the_result_with_the_answer():
    answers = []

    def check(result, answer):
        answers.append((answer.variant, answer.status, answer.body["note"]))
        assert result == answer.body

    contract_with().serve(variants={"include": ["null"], "check": check}).run(load)
    assert answers == [(None, 200, "call first"), ("null@$.note", 200, None)]


def test_fields_that_are_not_read(capsys):
    body = {"id": match.int(7), "internal": "x"}
    with pytest.raises(VariantsError) as raised:
        contract_with(body).serve(variants={"unread": "error"}).run(lambda server: load(server).get("id"))
    assert raised.value.code == "ERR_CONTRACT_VARIANTS_UNREAD"
    assert [failure["place"] for failure in raised.value.failures] == ["$.internal"]
    contract_with(body).serve(variants={"unread": "print"}).run(lambda server: load(server).get("id"))
    assert "$.internal" in capsys.readouterr().err
    with pytest.raises(ContractArgumentError, match="requires a callback that returns a value"):
        contract_with(body).serve(variants={"unread": "print"}).run(lambda server: load(server) and None)


def test_the_environment_selects_the_variants(monkeypatch):
    def names(**options):
        seen = []
        contract_with().serve(**options).run(lambda server: seen.append(server.variant) or load(server))
        return seen

    assert names() == [None]
    monkeypatch.setenv("CONTRACT_VARIANTS", "default")
    assert len(names()) == 5
    monkeypatch.setenv("CONTRACT_VARIANT", "null@$.note")
    assert names() == [None, "null@$.note"]
    monkeypatch.setenv("CONTRACT_VARIANT", "nul@$.note")
    with pytest.raises(ContractArgumentError, match=r'The nearest names are:\n  "null@\$\.note"'):
        names()
    monkeypatch.setenv("CONTRACT_VARIANTS", "off")
    assert names(variants="all") == [None]
    monkeypatch.setenv("CONTRACT_VARIANTS", "some")
    with pytest.raises(ContractArgumentError, match="CONTRACT_VARIANTS must be"):
        names()


def test_messages_vary(tmp_path):
    def contract(**options):
        contract = Contract("web", "orders", **options)
        contract.upon_receiving("an order", "Async").with_body({"note": match.nullable("a"), "id": match.int(7)})
        return contract

    notes = []
    contract().verify(lambda body, _: notes.append(json.loads(body)["note"]), "Async", variants={"include": ["null"]})
    assert notes == ["a", None]
    with pytest.raises(MessageVerificationError) as raised:
        contract(directory=tmp_path, variants="default").verify(lambda body, _: len(json.loads(body)["note"]), "Async")
    (error,) = raised.value.errors
    assert (error.code, type(error.__cause__)) == ("ERR_CONTRACT_VARIANTS", TypeError)
    assert "CONTRACT_VARIANT='null@$.note'" in str(error)
    assert written(tmp_path) == []
    for option in ({"check": print}, {"unread": "print"}):
        with pytest.raises(ContractArgumentError, match="is not supported"):
            contract().verify(lambda body, _: None, "Async", variants=option)


VARIANTS = contract_with().variants()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_each_variant_can_be_a_test(variant):
    with variant.serve() as server:
        order = load(server)
    assert server.variant == (None if variant.name == "example" else variant.name)
    assert (order["note"] is None) == (variant.kind == "null")


def test_the_list_starts_with_the_example():
    assert [str(variant) for variant in VARIANTS[:3]] == ["example", "branch@$.state=paid", "null@$.note"]
    null = VARIANTS[2]
    assert (null.kind, null.place, null.value, null.interaction) == ("null", "$.note", "null", "order 7")


def test_the_interaction_is_written_once_all_answers_have_passed(tmp_path):
    example, null = contract_with(directory=tmp_path).variants({"include": ["null"]})
    with pytest.raises(VariantsError) as raised, null.serve() as server:
        len(load(server)["note"])
    assert isinstance(raised.value.__cause__, TypeError)
    assert "The test failed with an answer that the contract allows." in str(raised.value)
    with pytest.raises(VariantsError) as raised, null.serve():
        pass
    assert [failure["reason"] for failure in raised.value.failures] == ["requests"]
    with example.serve() as server:
        load(server)
    assert written(tmp_path) == []
    with null.serve() as server:
        load(server)
    assert len(written(tmp_path)) == 1


def test_failures_of_the_example_are_those_of_the_block():
    (example,) = contract_with({"a": 1}).variants("off")
    with pytest.raises(KeyError), example.serve() as server:
        load(server)["b"]
    with pytest.raises(MismatchesError), example.serve():
        pass


async def in_a_block(variant):
    async with variant.serve() as server:
        return len((await asyncio.to_thread(load, server))["note"])


def test_asynchronous_blocks():
    example, null = contract_with().variants({"include": ["null"]})
    assert asyncio.run(in_a_block(example)) == 10
    with pytest.raises(VariantsError):
        asyncio.run(in_a_block(null))


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ("nulls", 'unknown kind of variants "nulls". Did you mean "null"?\n  Kinds: "off", "default", "values", "all", "branch", "null",'),
        ({"seed": "x"}, "seed"),
        ({"include": []}, "include is empty"),
        ({"include": ["off", "null"]}, "cannot be combined"),
        ({"onyl": []}, 'unknown option "onyl"'),
        ({"check": 1}, '"check" must be a function'),
        ({"unread": "fail"}, "unread"),
    ],
)
def test_invalid_options_are_rejected(variants, message):
    with pytest.raises(ContractArgumentError) as raised:
        contract_with().serve(variants=variants).run(load)
    assert message in str(raised.value)


def test_variants_require_a_function():
    with pytest.raises(ContractArgumentError, match="requires a function"), contract_with().serve(variants="default"):
        pass
    with pytest.raises(ContractArgumentError, match='"check" is not supported'):
        contract_with().variants({"check": print})
    with pytest.raises(ContractArgumentError, match='"max" is not supported'):
        contract_with().variants({"max": 3})
    (example,) = contract_with({"a": 1}).variants("off")
    with pytest.raises(ContractArgumentError, match="responds with one variant"):
        example.serve().run(load)
