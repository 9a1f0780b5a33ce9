"""Plugins for contents, rules, generators, and protocols. Uses the plugin of the TypeScript tests."""

import contextlib
import json
import os
import socket
import subprocess
import threading

import pytest

from contract import Contract, ContractArgumentError, MismatchesError, VerificationError, Verifier
from support import ROOT, request

TYPE = "application/x-pairs"
PACK = """
import { packPlugin } from '@contract-testing/plugin'
import { join } from 'node:path'
const [directory] = process.argv.slice(1)
const entry = join(process.cwd(), '__test__', 'support', 'pairs-plugin.mjs')
packPlugin({ name: 'pairs', version: '1.0.0', entry, directory })
packPlugin({ name: 'pairs-second', version: '1.0.0', entry, directory: join(directory, 'second'), interfaceVersion: 2 })
packPlugin({ name: 'exit', version: '1.0.0', entry, directory, args: ['exit'] })
packPlugin({ name: 'silent', version: '1.0.0', entry, directory, args: ['silent'] })
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The directory of the plugins."""
    directory = tmp_path_factory.mktemp("plugins")
    command = ["node", "--input-type=module", "--eval", PACK, str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    return directory


@pytest.fixture(params=["pairs", "pairs-second"])
def plugin(request):
    return request.param


@pytest.fixture
def directories(place, plugin):
    return [place / "second"] if plugin == "pairs-second" else [place]


def define(directories, tmp_path, **plugins):
    return Contract(
        "web", "shop", directory=tmp_path, plugins={"directories": directories, "start_timeout": 20_000, **plugins}
    )


def document(tmp_path):
    return json.loads((tmp_path / "web-shop.json").read_text(encoding="utf-8"))


def put(url, body, kind=TYPE):
    return request(f"{url}/colour", "PUT", body, {"Content-Type": kind})


def app_of(answers, seen):
    """Return a provider that sends these responses in order."""

    def app(environ, start_response):
        seen.append(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        start_response("200 OK", [("Content-Type", TYPE)])
        return [answers.pop(0)]

    return app


def test_contents_of_consumer_and_provider(directories, plugin, tmp_path):
    contract = define(directories, tmp_path).using_plugin(plugin, "1.0.0")
    (
        contract.upon_receiving("a change of colour")
        .with_request("PUT", "/colour")
        .with_plugin_contents({"colour": "red", "size": "{number}"}, TYPE)
        .will_respond_with(200)
        .with_plugin_contents('{"count": "{number}", "echo": "x"}', TYPE)
    )
    with contract.serve() as server:
        answer = put(server.url, b"colour=red\nsize=12\n")
    assert answer.headers["Content-Type"] == TYPE
    assert answer.body.decode() == "count=3\necho=consumer/response/pairs-1/pairs/mockServer,testRunId\n"
    written = document(tmp_path)
    assert written["metadata"]["plugins"] == [{"name": plugin, "version": "1.0.0", "configuration": {"schema": "pairs-1"}}]
    assert written["interactions"][0]["pluginConfiguration"] == {
        plugin: {"request": {"pairs": {"colour": "red", "size": "7"}}, "response": {"pairs": {"count": "7", "echo": "x"}}}
    }

    seen = []
    app = app_of([b"count=99\necho=x\nmore=1\n", b"count=many\necho=x\n", b"count=1\necho=x\n"], seen)
    verifier = Verifier("shop").set_plugins(directories, timeout=20_000).add_source(tmp_path).add_transport(app=app)
    verifier.verify()
    assert seen == [b"colour=red\nsize=3\n"]
    with pytest.raises(VerificationError, match="count is many, not like 7"):
        verifier.verify()
    verifier.verify()

    with pytest.raises(MismatchesError, match="colour is blue, not like red") as caught:
        with contract.serve(all=True) as server:
            put(server.url, b"colour=blue\nsize=1\nmore=1\n")
    first, second = caught.value.mismatches[0]["mismatches"]
    assert (first["path"], first["actual"]) == ("$.colour", "blue")
    assert "more is not expected" in second["mismatch"]


def test_messages(directories, plugin, tmp_path):
    contract = define(directories, tmp_path).using_plugin(plugin)
    contract.upon_receiving("an event", "Async").with_plugin_contents({"topic": "orders", "id": "{number}"}, TYPE)
    took = []
    contract.verify(lambda body, metadata: took.append((body, metadata["topic"])), "Async")
    assert took in ([("id=3\ntopic=orders\n", "orders")], [(b"id=3\ntopic=orders\n", "orders")])

    both = {"request": {"ask": "all"}, "response": [{"one": "1"}, {"two": "{number}"}]}
    contract.upon_receiving("a question", "Sync").with_plugin_contents(both, TYPE)
    answers = [{"contents": "one=1\n", "content_type": TYPE}, {"contents": "two=12\n", "content_type": TYPE}]
    contract.verify(lambda body, metadata: answers, "Sync")
    answers[1]["contents"] = "two=x\n"
    with pytest.raises(RuntimeError, match="two is x, not like 7"):
        contract.verify(lambda body, metadata: answers, "Sync", all=True)

    verifier = Verifier("shop").set_plugins(directories).add_source(tmp_path)
    message = {"contents": "id=12\ntopic=x\n", "content_type": TYPE, "metadata": {"topic": "orders"}}
    verifier.message_handler({"an event": message}).filter(description="event")
    with pytest.raises(VerificationError, match="topic is x, not like orders"):
        verifier.verify()
    Verifier("shop").set_plugins(directories).add_source(tmp_path).filter(description="event").message_handler(
        {"an event": lambda: {**message, "contents": "id=12\ntopic=orders\n"}}
    ).verify()


@contextlib.contextmanager
def answering(values, asked):
    """A provider for the plugin's protocol, which responds to each line with a line."""

    def run():
        while values:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked.append(connection.recv(1024).decode().strip())
                connection.sendall(values.pop(0).encode() + b"\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield listener.getsockname()[1]


def ask(port, name):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(name.encode() + b"\n")
        return connection.recv(1024).decode().strip()


def test_a_transport_for_consumer_and_provider(directories, plugin, tmp_path):
    contract = define(directories, tmp_path).using_plugin(plugin)
    contract.upon_receiving("the colour", "Sync").with_plugin_contents({"colour": "red"}, TYPE)
    with contract.serve(transport="pairs") as server:
        assert server.transport == "pairs"
        assert ask(server.port, "colour") == "red"
    assert document(tmp_path)["interactions"][0]["transport"] == "pairs"

    contract.upon_receiving("the size", "Sync").with_plugin_contents({"size": "7"}, TYPE)
    with pytest.raises(MismatchesError, match="there is no pair weight"):
        with contract.serve(transport="pairs") as server:
            ask(server.port, "weight")
    contract.upon_receiving("the age", "Sync").with_plugin_contents({"age": "7"}, TYPE)
    with pytest.raises(MismatchesError, match="might not have received a request"):
        with contract.serve(transport="pairs"):
            pass

    asked = []

    def loud(request):
        request.headers["token"] = "secret"
        request.body = request.body.upper()

    with answering(["red", "green"], asked) as port:
        verifier = Verifier("shop").set_plugins(directories).add_source(tmp_path)
        verifier.add_transport(protocol="pairs", port=port).request_filter(loud).verify()
        assert asked == ["COLOUR"]
        with pytest.raises(VerificationError, match="the value is green, not red"):
            verifier.verify()


def test_rules_and_generators(place, tmp_path):
    directories = [place / "second"]
    contract = define(directories, tmp_path)
    (
        contract.upon_receiving("a number")
        .using_plugin("pairs-second")
        .with_request("POST", "/colour")
        .with_json_body({"id": 4})
        .with_matching_rules({"body": {"$.id": {"match": "even"}}})
        .will_respond_with(200)
        .with_json_body({"twice": 21})
        .with_generators({"body": {"$.twice": {"type": "even"}}})
    )
    with contract.serve() as server:
        assert request(f"{server.url}/colour", "POST", {"id": 12}).json == {"twice": 42}
    with pytest.raises(MismatchesError, match=r"\$\.id is 13, which is not even"):
        with contract.serve(all=True) as server:
            request(f"{server.url}/colour", "POST", {"id": 13})


def test_plugins_that_cannot_be_used(place, tmp_path, monkeypatch):
    contract = define([place], tmp_path)
    with pytest.raises(ContractArgumentError, match=r'using_plugin: .*"grpc" \(version 2\.0\.0 or later\) is not installed') as caught:
        contract.using_plugin("grpc", "2.0.0")
    assert (caught.value.code, caught.value.operation) == ("ERR_CONTRACT_PLUGIN", "using_plugin")
    assert str(place) in str(caught.value)
    assert "Installed:" in str(caught.value)
    with pytest.raises(ValueError, match=r"exit code 3(.|\n)*no licence found"):
        contract.using_plugin("exit")
    with pytest.raises(ValueError, match=r"did not write the line .* within 0\.3 seconds"):
        define([place], tmp_path, start_timeout=300).using_plugin("silent")
    for refused in (lambda: contract.using_plugin(7), lambda: contract.using_plugin(""), lambda: contract.using_plugin("pairs", "x")):
        with pytest.raises(ValueError, match="using_plugin"):
            refused()
    with pytest.raises(ValueError, match=r"no plugin of this contract handles application/x-pairs; .*using_plugin"):
        contract.upon_receiving("x").with_plugin_contents({"a": "1"}, TYPE)
    for nothing in ("", " "):
        with pytest.raises(ValueError, match="using_plugin: the plugin name is empty"):
            contract.using_plugin(nothing)
    contract.using_plugin("pairs", "0.9")
    begun = contract.upon_receiving("y").with_request("PUT", "/colour")
    for contents, problem in (("{", "not valid JSON"), ([1], "must be a dict"), ({"do": "refuse"}, "a value is missing")):
        with pytest.raises(ValueError, match=f"with_plugin_contents(.|\n)*{problem}"):
            begun.with_plugin_contents(contents, TYPE)
    contract.upon_receiving("z").with_request("PUT", "/colour").with_plugin_contents({"a": "1"}, TYPE)
    with contract.serve() as server:
        put(server.url, b"a=1\n")
    assert [one["description"] for one in document(tmp_path)["interactions"]] == ["z"]

    for refused in (lambda: Verifier("shop").set_plugins("a"), lambda: Verifier("shop").set_plugins(timeout=0), lambda: Verifier("shop").set_plugins(7), lambda: Verifier("shop").set_plugins([""])):
        with pytest.raises(ValueError, match="set_plugins"):
            refused()
    # The contract requires a plugin that is not installed for this provider.
    empty = tmp_path / "none"
    empty.mkdir()
    monkeypatch.delenv("CONTRACT_PLUGIN_DIR", raising=False)
    monkeypatch.delenv("PACT_PLUGIN_DIR", raising=False)
    verifier = Verifier("shop").add_source(tmp_path).add_transport(app=app_of([b"x", b"x"], []))
    with pytest.raises(VerificationError, match=r'"pairs" \(version 1\.0\.0 or later\) is not installed') as missing:
        verifier.set_plugins([os.fspath(empty)]).verify()
    assert str(empty) in str(missing.value)
    assert verifier.set_plugins([place]).verify().results["success"] is True
