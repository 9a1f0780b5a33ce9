"""Checks every name, parameter, default, rule, and error of the documented Python API."""

import inspect
import json

import pytest

import contract as package
import contract_ffi
from contract import BrokerSelectorBuilder, Contract, MismatchesError, VerificationError, Verifier, generate, match
from contract.interaction import AsyncMessageInteraction, HttpInteraction, SyncMessageInteraction
from support import request

NONE = inspect.Parameter.empty

# Operations with their parameters in order and their defaults. "*" starts keyword-only parameters.
SIGNATURES = {
    Contract: {
        "__init__": "consumer provider",
        "with_specification": "version",
        "upon_receiving": "description interaction='HTTP'",
        "serve": "host=None port=None",
        "write_file": "directory",
    },
    HttpInteraction: {
        "given": "state * name value parameters",
        "with_body": "body content_type part",
        "with_binary_body": "body content_type part",
        "with_multipart_file": "part_name path content_type part boundary",
        "with_plugin_contents": "contents content_type part",
        "with_generators": "generators part",
        "with_matching_rules": "rules part",
        "set_comment": "key value",
        "add_text_comment": "comment",
        "set_key": "key",
        "set_pending": "* pending",
        "test_name": "name",
        "with_request": "method path",
        "will_respond_with": "status",
        "with_header": "name value part",
        "with_headers": "headers part",
        "set_header": "name value part",
        "set_headers": "headers part",
        "with_query_parameter": "name value",
        "with_query_parameters": "parameters",
    },
    SyncMessageInteraction: {"with_metadata": "metadata part kwargs", "will_respond_with": ""},
    AsyncMessageInteraction: {"with_metadata": "metadata part kwargs"},
    BrokerSelectorBuilder: {
        "include_pending": "",
        "include_wip_since": "date",
        "provider_branch": "branch",
        "consumer_version": "branch deployed_or_released main_branch consumer deployed environment",
        "build": "",
    },
    Verifier: {
        "__init__": "provider",
        "add_source": "source",
        "add_transport": "url",
        "broker_source": "url username password token selector=False",
        "set_publish_options": "version branch",
        "filter": "description * state",
        "filter_consumers": "names",
        "add_custom_header": "name value",
        "add_custom_headers": "headers",
        "state_handler": "handler * teardown=False body=None",
        "verify": "",
    },
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in SIGNATURES.items() for name in names])
def test_signatures(kind, name):
    parameters = inspect.signature(getattr(kind, name)).parameters
    places = [one for one in parameters if one != "self"]
    by_name = False
    for at, word in enumerate(SIGNATURES[kind][name].replace("* ", "*").split()):
        by_name = by_name or word.startswith("*")
        word, _, default = word.lstrip("*").partition("=")
        assert word in parameters, (name, word)
        if by_name:
            assert parameters[word].kind is inspect.Parameter.KEYWORD_ONLY
        else:
            assert places[at] == word
        if default:
            assert repr(parameters[word].default) == default


FUNCTIONS = {
    "match": ("int", "str", "bool", "float", "uuid", "regex", "each_like", "array_containing", "date", "time", "datetime"),
    "generate": (
        "int",
        "float",
        "hex",
        "str",
        "regex",
        "uuid",
        "datetime",
        "date",
        "time",
        "bool",
        "mock_server_url",
        "provider_state",
    ),
}


def test_modules_and_functions():
    for name in FUNCTIONS["match"]:
        first = next(iter(inspect.signature(getattr(match, name)).parameters.values()))
        assert first.kind is inspect.Parameter.POSITIONAL_ONLY
    for name, parameters in {
        "int": "min max",
        "float": "precision",
        "hex": "digits",
        "str": "size",
        "regex": "pattern",
        "uuid": "format",
        "datetime": "format",
        "date": "format",
        "time": "format",
        "bool": "",
        "mock_server_url": "example regex",
        "provider_state": "expression",
    }.items():
        ours = list(inspect.signature(getattr(generate, name)).parameters)
        assert ours[: len(parameters.split())] == parameters.split()
    assert package.match is match


def http(description="a request"):
    contract = Contract("web", "users")
    return contract, contract.upon_receiving(description)


def only(contract):
    (interaction,) = contract.interactions("All")
    return interaction


def test_kinds_of_interactions():
    contract = Contract("web", "users")
    assert type(contract.upon_receiving("a")) is HttpInteraction
    assert type(contract.upon_receiving("b", interaction="HTTP")) is HttpInteraction
    assert type(contract.upon_receiving("c", interaction="Sync")) is SyncMessageInteraction
    assert type(contract.upon_receiving("d", interaction="Async")) is AsyncMessageInteraction
    for kind in ("Other", "", None, 7):
        if kind is None:
            continue
        with pytest.raises(ValueError, match="interaction"):
            contract.upon_receiving("e", interaction=kind)


def test_the_default_version_is_4():
    assert Contract("web", "users").specification == "V4"


def test_given():
    contract, one = http()
    assert one.given("user exists", name="id", value="123") is one
    one.given("user exists", parameters={"name": "Alice"}).given("nobody").given("text", parameters="no JSON")
    one.given("json", parameters='{"a": 1}').given("pair", name="n", value="plain").given("user exists", name="id", value=7)
    assert only(contract)["providerStates"] == [
        {"name": "user exists", "params": {"id": 7, "name": "Alice"}},
        {"name": "nobody"},
        {"name": "text", "params": {"value": "no JSON"}},
        {"name": "json", "params": {"a": 1}},
        {"name": "pair", "params": {"n": "plain"}},
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"name": "id"},
        {"value": "7"},
        {"name": "id", "value": "7", "parameters": {"id": 7}},
        {"name": "id", "parameters": {}},
        {"value": 7, "parameters": "{}"},
        {"parameters": [1]},
        {"parameters": {"a": {1, 2}}},
        {"parameters": {1: 2}},
        {"name": "id", "value": float("nan")},
        {"name": 7, "value": "7"},
    ],
)
def test_rejects_inconsistent_arguments_of_given(given):
    contract, one = http()
    with pytest.raises(ValueError, match="given"):
        one.given("a state", **given)
    # The rejected call has no effect, and the next call works.
    one.given("another").with_request("GET", "/")
    assert only(contract)["providerStates"] == [{"name": "another"}]


def test_calls_apply_to_the_request_until_the_response_starts():
    contract, one = http()
    one.with_request("GET", "/").with_header("X-A", "1").will_respond_with(200).with_header("X-A", "2")
    one.with_header("X-B", "3", "Request").with_header("X-C", "4", part="Response").with_header("X-D", "5", part="request")
    interaction = only(contract)
    assert interaction["request"]["headers"] == {"X-A": ["1"], "X-B": ["3"], "X-D": ["5"]}
    assert interaction["response"]["headers"] == {"X-A": ["2"], "X-C": ["4"]}
    with pytest.raises(ValueError, match="part"):
        one.with_header("X-E", "6", part="Answer")


def test_an_asynchronous_message_has_no_response():
    contract = Contract("web", "users")
    message = contract.upon_receiving("an event", interaction="Async")
    for refused in (
        lambda: message.with_body("x", part="Response"),
        lambda: message.with_metadata({"a": "b"}, part="Response"),
        lambda: message.with_binary_body(b"x", part="Response"),
        lambda: message.with_matching_rules({}, part="Response"),
        lambda: message.will_respond_with(),
    ):
        with pytest.raises(ValueError, match="has no response"):
            refused()
    message.with_body("x", part="Request")


def test_bodies():
    contract, one = http()
    one.with_request("POST", "/").with_body({"id": match.int(7)}).will_respond_with(200).with_body("text", "text/plain")
    interaction = only(contract)
    assert interaction["request"]["body"] == {"content": {"id": 7}, "contentType": "application/json", "encoded": False}
    assert interaction["response"]["body"] == {"content": "text", "contentType": "text/plain", "encoded": False}
    one.with_binary_body(b"\x00", "application/x-bytes")
    assert only(contract)["response"]["body"]["contentType"] == "application/x-bytes"
    one.with_binary_body(None)
    with pytest.raises(ValueError, match="with_binary_body"):
        one.with_body(b"bytes")
    with pytest.raises(ValueError, match="must be bytes"):
        one.with_binary_body("text")


def test_multipart_file(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("hello")
    contract, one = http()
    one.with_request("POST", "/").with_multipart_file("note", file, "text/plain", None, "boundary")
    assert only(contract)["request"]["headers"]["Content-Type"][0].startswith("multipart/form-data")
    for path in (tmp_path / "nowhere", 7):
        with pytest.raises(ValueError, match="with_multipart_file"):
            one.with_multipart_file("note", path)


def test_rules_and_generators_as_mappings_and_as_text():
    contract, one = http()
    one.with_request("POST", "/").with_body({"id": 7, "at": "2024-02-29"})
    one.with_matching_rules({"body": {"$.id": match.int(7)}}).with_generators('{"body": {"$.at": {"type": "Date"}}}')
    interaction = only(contract)["request"]
    assert interaction["matchingRules"]["body"]["$.id"]["matchers"] == [{"match": "integer"}]
    assert interaction["generators"] == {"body": {"$.at": {"type": "Date"}}}
    for refused in ("no JSON", [1], {"nowhere": {}}):
        with pytest.raises(ValueError, match="with_matching_rules"):
            one.with_matching_rules(refused)
        with pytest.raises(ValueError, match="with_generators"):
            one.with_generators(refused)


def test_metadata():
    contract = Contract("web", "users")
    message = contract.upon_receiving("an event", "Async").with_body("x")
    message.with_metadata({"a": "1", "gone": "2", "__part": "3", "part": "4"}, topic="orders", empty="", nothing="null")
    message.with_metadata({"gone": None}).with_metadata(key=match.str("7"))
    assert only(contract)["contents"]["contentType"]
    assert only(contract)["metadata"] == {
        "a": "1",
        "__part": "3",
        "part": "4",
        "topic": "orders",
        "empty": "",
        "nothing": None,
        "key": "7",
    }
    for name in ("__metadata", "__part"):
        with pytest.raises(ValueError, match="must be passed in the mapping"):
            message.with_metadata(**{name: "x"})
    with pytest.raises(ValueError, match="with_metadata"):
        http()[1].with_metadata({"a": "b"})


def test_comments_key_pending_and_name():
    contract, one = http()
    one.with_request("GET", "/").set_comment("text", ["first"]).add_text_comment("second").set_comment("own", {"a": 1})
    one.set_comment("none", None).set_key("the-key").set_pending(pending=True).test_name("test of the client")
    interaction = only(contract)
    assert interaction["comments"] == {
        "text": ["first", "second"],
        "own": {"a": 1},
        "none": None,
        "testname": "test of the client",
    }
    assert (interaction["key"], interaction["pending"]) == ("the-key", True)
    one.set_comment("text", "over").set_key(None).set_pending(pending=False)
    interaction = only(contract)
    assert interaction["comments"]["text"] == "over"
    assert ("key" in interaction, interaction["pending"]) == (False, False)
    with pytest.raises(TypeError):
        one.set_pending(True)


def test_headers():
    contract, one = http()
    one.with_request("GET", "/").with_header("X-Id", "1").with_header("x-id", "2").with_headers({"X-A": "a"})
    one.with_headers([("X-B", "1"), ("X-B", "2")])
    one.with_header("X-C", json.dumps({"value": ["a", "b"]}))
    one.with_header("X-D", json.dumps({"value": "d1", "contract:matcher:type": "regex", "regex": r"d\d"}))
    one.set_header("X-Raw", '{"value": 1}').set_headers([("X-S", "s")])
    one.with_header("X-Date", match.regex("7", regex=r"\d"))
    asked = only(contract)["request"]
    assert asked["headers"] == {
        "X-Id": ["1", "2"],
        "X-A": ["a"],
        "X-B": ["1", "2"],
        "X-C": ["a", "b"],
        "X-D": ["d1"],
        "X-Raw": ['{"value": 1}'],
        "X-S": ["s"],
        "X-Date": ["7"],
    }
    assert set(asked["matchingRules"]["header"]) == {"X-D", "X-Date"}


def test_query_parameters():
    contract, one = http()
    one.with_request("GET", "/").with_query_parameter("a", "1").with_query_parameter("a", "2")
    one.with_query_parameter("b", '{"value": ["x", "y"], "contract:matcher:type": "regex", "regex": "[xy]"}')
    one.with_query_parameters({"c": match.int(7)}).with_query_parameters([("d", "1"), ("d", "2")])
    asked = only(contract)["request"]
    assert asked["query"] == {"a": ["1", "2"], "b": ["x", "y"], "c": ["7"], "d": ["1", "2"]}
    assert set(asked["matchingRules"]["query"]) == {"b", "c"}


def test_the_mock_server_checks_only_defined_parts():
    contract, one = http()
    one.with_request("POST", "/users").with_header("X-A", "a").with_body({"id": match.int(1)}).will_respond_with(201)
    with contract.serve() as server:
        extra = {"X-A": "a", "X-More": "b"}
        assert request(server / "users", "POST", {"id": 5, "more": [1]}, extra).status == 201
    with contract.serve(all=True, raises=False) as server:
        answer = request(server / "users", "POST", {"id": "five"}, {"X-A": "a"})
        assert answer.status == 500
        assert "integer" in json.dumps(answer.json)


def test_messages_work():
    contract = Contract("web", "users")
    question = contract.upon_receiving("a question", interaction="Sync").with_body("how much?")
    question.will_respond_with().with_body({"price": match.number(1.5)})
    assert contract.verify(lambda body, metadata: {"price": 2}, "Sync") == []


def user_contract(directory):
    contract = Contract("web", "users")
    one = contract.upon_receiving("a request for a user").given("user exists", parameters={"id": 7})
    one.with_request("GET", "/users/7").will_respond_with(200).with_body({"id": match.int(7)})
    contract.upon_receiving("a request for nobody").with_request("GET", "/users/8").will_respond_with(404)
    contract.write_file(directory)


def test_verification(tmp_path, provider):
    user_contract(tmp_path)
    seen = []
    calls = []

    def answer(method, path, body, headers):
        seen.append((method, path, headers.get("Authorization"), headers.get("X-More")))
        return (200, {"id": 7}) if path == "/users/7" else (404, {})

    def handler(state, action, parameters):
        calls.append((state, action, parameters))
        if state != "user exists" or action not in ("setup", "teardown"):
            raise ValueError("unknown state or action")

    verifier = Verifier("users").add_source(tmp_path).add_transport(url=provider(answer))
    verifier.state_handler(handler, teardown=True).add_custom_header("Authorization", "Bearer x")
    verifier.add_custom_headers({"X-More": "y"})
    assert verifier.verify() is verifier
    assert seen == [("GET", "/users/8", "Bearer x", "y"), ("GET", "/users/7", "Bearer x", "y")] or seen == [
        ("GET", "/users/7", "Bearer x", "y"),
        ("GET", "/users/8", "Bearer x", "y"),
    ]
    assert calls == [("user exists", "setup", {"id": 7}), ("user exists", "teardown", {"id": 7})]


def test_no_teardown_by_default(tmp_path, provider):
    user_contract(tmp_path)
    calls = []
    url = provider(lambda method, path, *_: (200, {"id": 7}) if path == "/users/7" else (404, {}))
    verifier = Verifier("users").add_source(tmp_path).add_transport(url=url)
    verifier.state_handler({"user exists": lambda action, parameters: calls.append((action, parameters))}).verify()
    assert calls == [("setup", {"id": 7})]


@pytest.mark.parametrize("in_body", [True, False])
def test_state_handlers_that_are_urls(tmp_path, provider, in_body):
    user_contract(tmp_path)
    seen = []

    def answer(method, path, body, headers):
        if path.startswith("/states"):
            seen.append((method, path, json.loads(body) if body else None))
            return 200, {}
        return (200, {"id": 7}) if path == "/users/7" else (404, {})

    url = provider(answer)
    verifier = Verifier("users").add_source(tmp_path).add_transport(url=url)
    verifier.state_handler(f"{url}/states", teardown=True, body=in_body).verify()
    assert [method for method, _, _ in seen] == ["POST", "POST"]
    if in_body:
        assert seen[0][2]["state"] == "user exists"
        assert [one[2]["action"] for one in seen] == ["setup", "teardown"]
    else:
        assert "state=user" in seen[0][1]
        assert "id=7" in seen[0][1]


def test_a_response_that_differs_fails(tmp_path, provider):
    user_contract(tmp_path)
    url = provider(lambda *_: (200, {"id": "seven"}))
    verifier = Verifier("users").add_source(tmp_path).add_transport(url=url).state_handler(lambda state, action, parameters: None)
    with pytest.raises(VerificationError, match="to be an integer") as caught:
        verifier.verify()
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.report["summary"]["failed"] == 2


def test_an_unknown_state_fails(tmp_path, provider):
    user_contract(tmp_path)

    def handler(state, action, parameters):
        raise ValueError(f"unknown state {state}")

    url = provider(lambda method, path, *_: (200, {"id": 7}) if path == "/users/7" else (404, {}))
    with pytest.raises(VerificationError, match="ValueError: unknown state user exists") as caught:
        Verifier("users").add_source(tmp_path).add_transport(url=url).state_handler(handler).verify()
    assert isinstance(caught.value.__cause__, ValueError)


def test_filters(tmp_path, provider):
    user_contract(tmp_path)
    other = Contract("app", "users")
    other.upon_receiving("a request of the app").with_request("GET", "/app").will_respond_with(200)
    other.write_file(tmp_path)
    seen = []

    def answer(method, path, *_):
        seen.append(path)
        return (404, {}) if path == "/users/8" else (200, {"id": 7})

    def run(choose):
        seen.clear()
        verifier = Verifier("users").add_source(tmp_path).add_transport(url=url)
        choose(verifier.state_handler(lambda state, action, parameters: None)).verify()
        return sorted(seen)

    url = provider(answer)
    assert run(lambda verifier: verifier) == ["/app", "/users/7", "/users/8"]
    assert run(lambda verifier: verifier.filter(description="nobody$")) == ["/users/8"]
    assert run(lambda verifier: verifier.filter("a request", state="exists")) == ["/users/7"]
    assert run(lambda verifier: verifier.filter(no_state=True)) == ["/app", "/users/8"]
    assert run(lambda verifier: verifier.filter_consumers("app")) == ["/app"]
    assert run(lambda verifier: verifier.filter_consumers("app", "web").filter_consumers()) == ["/app", "/users/7", "/users/8"]
    with pytest.raises(RuntimeError):
        run(lambda verifier: verifier.filter("nothing has this name"))
    with pytest.raises(ValueError, match="filter"):
        Verifier("users").filter("(")


def test_the_lifetime_of_the_mock_server(tmp_path):
    contract = Contract("web", "users", directory=tmp_path)
    contract.upon_receiving("one").with_request("GET", "/one").will_respond_with(200)
    with pytest.raises(MismatchesError):
        with contract.serve():
            pass
    assert list(tmp_path.iterdir()) == []


def test_logging(capfd):
    contract_ffi.log_to_stderr("INFO")
    try:
        contract, one = http()
        one.with_request("GET", "/").will_respond_with(200)
        with contract.serve() as server:
            request(server.url)
    finally:
        contract_ffi.log_to_stderr("OFF")
    assert "INFO" in capfd.readouterr().err
    for level in ("LOUD", "", 7, None):
        with pytest.raises(ValueError, match="level"):
            contract_ffi.log_to_stderr(level)
    assert contract_ffi.version() == package.__version__
