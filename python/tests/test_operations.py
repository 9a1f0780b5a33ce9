"""Runs the cases of fixtures/operations, which Rust and TypeScript also run."""

import base64
import inspect
import json
import re

import pytest

import contract_ffi
from support import ROOT
from contract import (
    AsyncMessageInteraction,
    Broker,
    BrokerSelectorBuilder,
    Contract,
    ContractArgumentError,
    HttpInteraction,
    SyncMessageInteraction,
    Verifier,
    generate,
    graphql,
    match,
    types,
    xml,
)

FOLDER = ROOT / "fixtures" / "operations"
NAMESPACES = {"match": match, "generate": generate, "xml": xml, "graphql": graphql}


def cases(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


FUNCTIONS = {one["name"]: one for one in cases("functions")}
ALIASES = {alias: one["name"] for one in FUNCTIONS.values() for alias in one["aliases"]}


# Methods of elements and of interactions.
METHODS = {"xml.element.each", "with_bearer_token"}


def functions_of(namespace):
    members = vars(NAMESPACES[namespace])
    return {
        f"{namespace}.{name}"
        for name, member in members.items()
        if inspect.isfunction(member) and not name.startswith("_") and name not in ("overload", "cast", "make", "moment")
    }


def test_functions_match_the_core():
    ours = set().union(*(functions_of(namespace) for namespace in NAMESPACES))
    theirs = ({*FUNCTIONS} | {*ALIASES}) - METHODS
    assert ours == theirs


def signatures():
    """Return all public functions and the names of their parameters."""
    owners = [Contract, HttpInteraction, AsyncMessageInteraction, SyncMessageInteraction, Verifier, BrokerSelectorBuilder, Broker, contract_ffi]
    for owner in [*owners, *NAMESPACES.values()]:
        for name, member in inspect.getmembers(owner, callable):
            if name == "__init__" or not name.startswith("_"):
                try:
                    yield owner, name, inspect.signature(member).parameters
                except (TypeError, ValueError):
                    yield owner, name, {}


# Names that differ in Python, from crates/python/src/failure.rs.
SPELLED = {"suite": "interactions", "error_on_empty_contract": "set_error_on_empty_contract", "plugin": "name"}
# Aliases for users of other tools, and names of arguments that have no name in Python.
NOT_HERE = {"pfx", "passphrase"}


def test_names_in_advice_exist():
    public = [*signatures()]
    functions = {name for _, name, _ in public} | {f"{space}.{name}" for space in NAMESPACES for name in vars(NAMESPACES[space])}
    functions |= {f"contract_ffi.{name}" for name in dir(contract_ffi)}
    parameters = {one for _, _, names in public for one in names}
    for kind in vars(types).values():
        parameters |= {*getattr(kind, "__annotations__", {})}
    for row in cases("advice"):
        operations = {SPELLED.get(name, name) for name in row["operations"]}
        assert operations - functions == set(), row["of"]
        options = {SPELLED.get(name, name) for name in row["options"]}
        assert options - parameters - functions - NOT_HERE == set(), row["of"]


# The positional arguments. If the name in the core differs, Python uses the name in the specification.
FIRST = {
    "match.any": ["*alternatives"],
    "match.all": ["*matchers"],
    "match.each_key_like": ["key", "template"],
    "match.at_least_like": ["template", "min", "count"],
    "match.status": ["accepted", "example"],
    "match.content_type": ["content_type", "example"],
    "match.from_provider_state": ["expression", "example"],
    "match.path_from_provider_state": ["expression", "example"],
    "match.url": ["path"],
    "generate.provider_state": ["expression"],
    "generate.mock_server_url": [],
}
ONE = ("example", "template", "text", "value", "variants")


def called(name, given):
    """Make a call of the core with Python arguments."""
    name = ALIASES.get(name, name)
    given = dict(given)
    given.update(given.pop("options", {}))
    namespace, _, function = name.partition(".")
    front = FIRST.get(name)
    if front is None:
        front = [key for key in FUNCTIONS[name]["arguments"][:1] if key in ONE]
    places = []
    for key in front:
        if key.startswith("*"):
            places.extend(given.pop(key[1:]))
        elif key in given:
            places.append(given.pop(key))
    if name == "match.regex" and "pattern" in given:
        given["regex"] = given.pop("pattern")
    return getattr(NAMESPACES[namespace], function)(*places, **given)


# Python has no options object.
ELSEWHERE = {"options that are not an object", "an argument passed twice"}


def runnable(name):
    for case in cases(name):
        case_name = ALIASES.get(case["call"], case["call"])
        if case_name in FUNCTIONS and case_name not in METHODS and case["name"] not in ELSEWHERE:
            yield pytest.param(case, id=case["name"])


@pytest.mark.parametrize("case", [*runnable("match"), *runnable("generate"), *runnable("xml")])
def test_functions(case):
    if "result" in case:
        assert json.loads(made(case)._json) == case["result"]
        return
    expected = case["error"]
    with pytest.raises((ContractArgumentError, TypeError)) as caught:
        made(case)
    if not isinstance(caught.value, ContractArgumentError):
        # Python itself reports missing and unknown arguments.
        assert re.search(r"unexpected keyword argument|required positional argument|argument after \*", str(caught.value))
        return
    assert caught.value.code == expected["code"]
    argument = {"pattern": "regex"}.get(expected.get("argument"), expected.get("argument"))
    assert caught.value.argument == (argument if case["call"] == "match.regex" else expected.get("argument"))
    if case["call"] != "match.regex":
        message, code = str(caught.value).rsplit(maxsplit=1)
        assert (message, code) == (in_python(expected["text"]), f"[{expected['code']}]")


def in_python(text):
    """Replace names of values by their Python equivalents."""
    text = text.replace("allow_empty: true", "allow_empty=True")
    words = {
        "null": "None",
        "true": "True",
        "false": "False",
        "an object": "a dict",
        "an array": "a list",
        "clientError": "client_error",
        "serverError": "server_error",
        "nonError": "non_error",
    }
    for json_word, word in words.items():
        text = re.sub(rf"\b{json_word}\b", word, text)
    return text


def made(case):
    if case["call"] == "xml.element":
        given = dict(case["arguments"])
        children = [
            one["text"] if isinstance(one, dict) and "text" in one else xml.XmlElement(json.dumps(one))
            for one in given.pop("children", [])
        ]
        return xml.element(given.pop("name"), *children, attrs=given.pop("attributes", None), **given)
    if case["call"] == "xml.body":
        return xml.body(case["arguments"]["root"])
    return called(case["call"], case["arguments"])


def test_numbers_keep_their_form():
    from decimal import Decimal

    assert match.float(1.0)._json == '{"contract:matcher:type":"decimal","value":1.0}'
    assert "12345678901234567890123" in match.int(12345678901234567890123)._json
    assert match.json("1.0")._json == "1.0"
    assert '[{"a":1e2}]' in match.each_like({"a": match.json("1e2")})._json
    assert match.number(Decimal("9.50"))._json == '{"contract:matcher:type":"number","value":9.50}'
    assert match.equal(1e300)._json.endswith("1e300}")


CALLS = cases("calls")


def test_operations_match_the_core():
    classes = (HttpInteraction, AsyncMessageInteraction, SyncMessageInteraction)
    methods = {name for one in classes for name, _ in inspect.getmembers(one, inspect.isfunction) if not name.startswith("_")}
    own = {"serve", "add_external_reference"}
    named = {call["name"] for call in CALLS if call["of"] == "interaction"}
    assert methods - own == named
    for call in CALLS:
        if call["of"] == "contract":
            assert callable(getattr(Contract, call["name"]))


OTHER_NAMES = {
    ("upon_receiving", "kind"): "interaction",
    ("with_multipart_file", "name"): "part_name",
    ("add_text_comment", "text"): "comment",
    ("with_metadata", "entries"): "metadata",
    ("using_plugin", "plugin"): "name",
    ("set_request_timeout", "milliseconds"): "timeout",
    ("set_callback_timeout", "milliseconds"): "timeout",
    ("set_body_limit", "bytes"): "limit",
    ("set_generated_size", "bytes"): "size",
    ("set_pattern_size", "bytes"): "size",
    ("set_source_limit", "bytes"): "limit",
    ("set_total_source_limit", "bytes"): "limit",
}
# Arguments of the core that are several arguments in Python.
SPREAD = {
    ("broker_source", "options"),
    ("set_publish_options", "options"),
    ("add_transport", "transport"),
    ("message_handler", "handlers"),
    ("filter", "filter"),
    ("consumer_version", "selector"),
    ("filter_consumers", "names"),
}
# `with selector=True`, a builder replaces the argument.
ELSEWHERE_TOLD = {("broker_source", "selector")}
# Members that the core only accepts to suggest an alternative.
REFUSED = {("tls", "passphrase"), ("tls", "pfx")}


def parameters_of(function):
    return {name for name in inspect.signature(function).parameters if name != "self"}


def rows(kind):
    return [(call["name"], call["arguments"]) for call in CALLS if call["of"] == kind]


def test_arguments_match_the_core():
    holders = (HttpInteraction, SyncMessageInteraction, Contract)
    functions = [
        *((name, arguments, getattr(Contract, name)) for name, arguments in rows("contract")),
        *(
            (name, arguments, next(getattr(one, name) for one in holders if hasattr(one, name)))
            for name, arguments in rows("interaction")
        ),
        *(
            (name, arguments, {"contract": Contract.__init__, "serve": Contract.serve, "verify": Contract.verify}[name])
            for name, arguments in rows("options")
            if name != "limits"
        ),
    ]
    for name, arguments, function in functions:
        for argument in arguments:
            assert OTHER_NAMES.get((name, argument), argument) in parameters_of(function), (name, argument)


def public(cls):
    return {name for name, _ in inspect.getmembers(cls, inspect.isfunction) if not name.startswith("_")}


def test_the_verifier_matches_the_core():
    # Methods about runs and results, and aliases.
    own = {"verify", "verify_async", "prepare", "interactions", "close", "output", "write_report"}
    own |= {"set_error_on_empty_pact", "set_colored_output"}
    operations = dict(rows("verifier"))
    assert public(Verifier) - own == set(operations) - {"select"}
    assert public(BrokerSelectorBuilder) == {name for name, _ in rows("selector")}
    options = dict(rows("options of the verifier"))
    for name, arguments in [*operations.items(), *options.items()]:
        if name in ("select", "consumer_version"):
            continue
        function = {"run": Verifier.verify}.get(name) or getattr(Verifier, name)
        known = parameters_of(function)
        for argument in arguments:
            is_elsewhere = argument == "options" or (name, argument) in SPREAD | ELSEWHERE_TOLD | REFUSED
            assert is_elsewhere or OTHER_NAMES.get((name, argument), argument) in known, (name, argument)
    assert parameters_of(BrokerSelectorBuilder.consumer_version) == set(options["consumer_version"])


def test_broker_calls_match_the_core():
    assert public(Broker) == {name for name, _ in rows("broker")}
    ((_, access),) = rows("options of the broker")
    assert parameters_of(Broker.__init__) == set(access)


OF_CONTRACT = {"with_specification", "defaults", "upon_receiving", "interaction"}


def perform(contract, current, name, given):
    """Make a call with Python arguments."""
    on = contract if current is None or name in OF_CONTRACT else current
    given = dict(given)
    given.update(given.pop("options", {}))
    renamed = {"upon_receiving": ("kind", "interaction"), "add_text_comment": ("text", "comment")}
    if on is contract:
        renamed["with_metadata"] = ("entries", "metadata")
    if name in renamed and renamed[name][0] in given:
        given[renamed[name][1]] = given.pop(renamed[name][0])
    if name == "with_multipart_file":
        given["part_name"] = given.pop("name")
        given.setdefault("path", None)
    if name == "with_binary_body" and given.get("body"):
        given["body"] = base64.b64decode(given["body"]["base64"])
    if name == "set_comment" and "value" not in given:
        from contract import UNSET

        given["value"] = UNSET
    made = getattr(on, name)(**given)
    return made if name in ("upon_receiving", "interaction") else current


# Calls without a method in Python.
NOT_OF_PYTHON = {"an unknown operation", "options that are not an object"}


@pytest.mark.parametrize(
    "case", [pytest.param(one, id=one["name"]) for one in cases("builder") if one["name"] not in NOT_OF_PYTHON]
)
def test_builder(case):
    contract = Contract("web", "orders")

    def run():
        current = None
        for call in case["calls"]:
            for name, given in call.items():
                current = perform(contract, current, name, given)
        return contract.interactions("All")

    if "result" in case:
        assert run() == case["result"]
        return
    with pytest.raises((ContractArgumentError, TypeError, AttributeError)) as caught:
        run()
    if isinstance(caught.value, ContractArgumentError):
        assert caught.value.code == case["error"]["code"]
        assert caught.value.operation == case["error"].get("operation")
    else:
        assert re.search(r"unexpected keyword|missing|no attribute", str(caught.value))
