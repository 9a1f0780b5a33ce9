"""Contracts from a broker with selectors, and published results: against the project's own broker."""

import contextlib
import json
import os
import platform
import re
import subprocess
import sys

import pytest

from contract import BrokerSelectorBuilder, Contract, VerificationError, Verifier, match
from support import ROOT, request


def executable():
    system = {"linux": "linux", "darwin": "darwin", "win32": "win32"}[sys.platform]
    machine = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
    ending = {"linux": "-musl" if os.path.exists("/etc/alpine-release") else "-gnu", "win32": "-msvc"}.get(system, "")
    return ROOT / "npm" / f"{system}-{machine}{ending}" / ("contract.exe" if system == "win32" else "contract")


@pytest.fixture(scope="module")
def broker():
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACT_BROKER", "PACT_BROKER"))}
    variables |= {"CONTRACT_BROKER_DATABASE_URL": "memory", "CONTRACT_BROKER_LISTEN": "127.0.0.1:0"}
    command = ["contract-broker", "serve", "--stop-with-stdin", "--log-level", "error"]
    with subprocess.Popen(
        command, executable=executable(), env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield re.search(r"https?://\S+", process.stdout.readline())[0]
        finally:
            process.stdin.close()
            process.wait(10)


@pytest.fixture(autouse=True)
def _no_broker_of_the_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("CONTRACT_BROKER", "PACT_BROKER", "CONTRACT_URL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CONTRACT_BROKER_HTTP_RETRIES", "0")


def publish(broker, directory, consumer, branch):
    contract = Contract(consumer, "orders")
    contract.upon_receiving(f"a request of {consumer}").with_request("GET", f"/{consumer}").will_respond_with(200).with_body(
        {"id": match.int(7)}
    )
    contract.write_file(directory)
    content = (directory / f"{consumer}-orders.json").read_bytes()
    headers = {"Content-Type": "application/json"}
    answer = request(f"{broker}/pacts/provider/orders/consumer/{consumer}/version/1", "PUT", content, headers)
    assert answer.status == 201, answer.body
    assert request(f"{broker}/pacticipants/{consumer}/branches/{branch}/versions/1", "PUT", b"{}", headers).status in (200, 201)


@pytest.fixture(scope="module")
def published(broker, tmp_path_factory):
    directory = tmp_path_factory.mktemp("published")
    publish(broker, directory, "web", "main")
    publish(broker, directory, "app", "feature")
    return broker


def consumers(verifier, app):
    verifier.add_transport(app=app).verify()
    return sorted(contract["consumer"] for contract in verifier.results["contracts"])


def good(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [b'{"id": 7}']


def test_selectors(published):
    assert consumers(Verifier("orders").broker_source(published), good) == ["app", "web"]
    builder = Verifier("orders").broker_source(published, selector=True)
    assert isinstance(builder, BrokerSelectorBuilder)
    verifier = (
        builder.include_pending()
        .exclude_pending()
        .include_wip_since("2020-01-01")
        .exclude_wip()
        .provider_branch("main")
        .provider_tags()
        .consumer_version(branch="feature", consumer="app")
        .build()
    )
    assert consumers(verifier, good) == ["app"]
    both = Verifier("orders").broker_source(published, selector=True)
    both = both.consumer_version(branch="feature").consumer_version(branch="main").build()
    assert consumers(both, good) == ["app", "web"]
    text = Verifier("orders").broker_source(published, selector=True).consumer_versions('{"branch": "feature"}').build()
    assert consumers(text, good) == ["app"]


def test_the_environment_says_where_the_broker_is(published, monkeypatch):
    monkeypatch.setenv("CONTRACT_BROKER_BASE_URL", published)
    assert consumers(Verifier("orders").broker_source(), good) == ["app", "web"]
    with pytest.raises((ValueError, RuntimeError), match="broker"):
        Verifier("orders").broker_source(use_env=False).add_transport(app=good).verify()


def test_results_are_published(published):
    verifier = Verifier("orders").broker_source(published).set_publish_options("abc", "main", build_url="http://ci/1")
    consumers(verifier, good)
    results = request(f"{published}/pacts/provider/orders/consumer/web/latest").json["_links"]
    found = next(link["href"] for name, link in results.items() if "latest-verification-results" in name.lower())
    result = request(found).json
    assert (result["success"], result["providerApplicationVersion"]) == (True, "abc")


def test_one_test_for_each_interaction_publishes_at_the_end(published):
    with Verifier("orders").broker_source(published).set_publish_options("def", "main").add_transport(app=good) as verifier:
        for interaction in verifier.prepare().interactions():
            interaction.verify()
    assert verifier.results["publication"]


def test_a_provider_that_differs(published):
    def bad(environ, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b'{"id": "seven"}']

    with pytest.raises(VerificationError, match="to be an integer"):
        consumers(Verifier("orders").broker_source(published), bad)


def test_mistakes(published):
    for refused in (
        {"url": "no url"},
        {"url": 7},
        {"url": published, "username": "a", "password": "b", "token": "c"},
        {"url": published.replace("://", "://a:b@"), "username": "c"},
        {"url": published, "timeout": 0},
    ):
        with pytest.raises(ValueError, match="."):
            Verifier("orders").broker_source(**refused).add_transport(app=good).verify()
    open_builder = Verifier("orders")
    open_builder.broker_source(published, selector=True)
    with pytest.raises(ValueError, match=r"selector=True.*build"):
        open_builder.add_transport(app=good).verify()
    for call in (
        lambda builder: builder.include_wip_since("yesterday"),
        lambda builder: builder.consumer_version(),
        lambda builder: builder.consumer_version(branch="a", main_branch=True),
        lambda builder: builder.consumer_version(branch=7),
        lambda builder: builder.provider_branch(7),
        lambda builder: builder.consumer_versions("no JSON"),
    ):
        with pytest.raises(ValueError, match="."):
            call(Verifier("orders").broker_source(published, selector=True))
    for options in ({"version": ""}, {"version": 7}, {"version": "1", "tags": 7}):
        with pytest.raises(ValueError, match="."):
            Verifier("orders").set_publish_options(**options)
    with contextlib.suppress(json.JSONDecodeError), pytest.raises(ValueError, match="filter"):
        Verifier("orders").filter("a").set_publish_options("1")


def test_a_broker_that_is_not_there(published):
    with pytest.raises(RuntimeError, match="127.0.0.1:1"):
        Verifier("orders").broker_source("http://127.0.0.1:1").add_transport(app=good).verify()
