"""Contracts from a broker with selectors, and published results, with the broker of this project."""

import contextlib
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from contract import Broker, BrokerError, BrokerSelectorBuilder, Contract, ContractArgumentError, VerificationError, Verifier, match
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


def test_broker_url_from_the_environment(published, monkeypatch):
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


def test_single_interactions_publish_on_close(published):
    with Verifier("orders").broker_source(published).set_publish_options("def", "main").add_transport(app=good) as verifier:
        for interaction in verifier.prepare().interactions():
            interaction.verify()
    assert verifier.results["publication"]


def test_reports_a_provider_that_fails(published):
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


def test_reports_an_unreachable_broker(published):
    with pytest.raises(RuntimeError, match="127.0.0.1:1"):
        Verifier("orders").broker_source("http://127.0.0.1:1").add_transport(app=good).verify()


def test_all_broker_calls(broker, tmp_path):
    contract = Contract("shop", "stock")
    contract.upon_receiving("a request").with_request("GET", "/").will_respond_with(200).with_body({"id": match.int(7)})
    contract.write_file(tmp_path)
    ours = Broker(broker)
    assert ours.publish(tmp_path, "1", dry_run=True)["consumers"][0]["contracts"][0]["outcome"] == "created"
    published = ours.publish([tmp_path / "shop-stock.json"], consumer_version="1", branch="main", tags=["dev"])
    assert (published["dryRun"], published["consumers"][0]["consumer"], published["consumers"][0]["tags"]) == (False, "shop", ["dev"])
    assert ours.doctor()["ok"] is True
    assert {one["consumer"] for one in ours.list_latest_contracts()} >= {"shop"}
    (found,) = ours.get_contracts("stock", download=True, download_dir=str(tmp_path / "fetched"))
    assert json.loads(Path(found["file"]).read_text(encoding="utf-8"))["consumer"]["name"] == "shop"
    assert ours.provider_states("stock") == []

    made = ours.create_environment("prod", production=True, display_name="Production")
    assert ours.update_environment(made["uuid"], display_name="Live")["displayName"] == "Live"
    assert ours.describe_environment(made["uuid"])["name"] == "prod"
    assert [one["name"] for one in ours.list_environments()] == ["prod"]
    question = [{"pacticipant": "shop", "version": "1"}]
    verdict = ours.can_i_deploy(question, to_environment="prod", explain=True)
    assert (verdict["deployable"], bool(verdict["explanation"])) == (False, True) or verdict["deployable"] is None
    verifier = Verifier("stock").broker_source(broker).set_publish_options("9", "main")
    verifier.add_transport(app=good).verify()
    assert ours.record_deployment("stock", "9", "prod")["environment"] == "prod"
    assert ours.can_i_deploy(question, to_environment="prod")["deployable"] is True
    assert ours.can_i_merge("shop", "1")["reason"]
    assert ours.record_undeployment("stock", "prod")["version"] == "9"
    assert ours.record_release("stock", "9", "prod")["currentlySupported"] is True
    assert ours.record_support_ended("stock", "9", "prod")["currentlySupported"] is False

    assert ours.create_or_update_pacticipant("stock", main_branch="main")["mainBranch"] == "main"
    assert ours.describe_pacticipant("stock")["name"] == "stock"
    assert {"shop", "stock"} <= {one["name"] for one in ours.list_pacticipants()}
    assert ours.create_or_update_version("stock", "10", branch="feature", tags=["new"])["tags"] == ["new"]
    assert ours.create_version_tag("stock", "10", tags=["old"])["tags"] == ["old"]
    assert ours.delete_version_tag("stock", "10", "old") == {"deleted": True}
    assert ours.describe_version("stock", latest=True)["number"] == "10"
    assert {"main", "feature"} == {one["name"] for one in ours.list_branches("stock")}
    assert ours.delete_branch("stock", "feature")["deleted"] is True
    assert ours.delete_branch("stock", "feature", ignore_missing=True)["deleted"] is False

    url, uuid = "https://ci.example.com/", "AAAAAAAAAAAAAAAAAAAAAA"
    webhook = ours.create_webhook(url, ["contract_published"], description="tells", provider="stock")
    assert webhook["description"] == "tells"
    assert ours.create_or_update_webhook(uuid, url, ["contract_published"])["uuid"] == uuid
    assert len(ours.list_webhooks()) == 2
    assert ours.delete_webhook(uuid)["deleted"] is True
    for call in (
        # The default settings of a broker only allow public addresses.
        lambda: ours.create_webhook("https://127.0.0.1:1/", ["contract_published"]),
        lambda: ours.test_webhook(uuid),
        lambda: ours.delete_webhook(uuid),
    ):
        with pytest.raises(BrokerError, match="webhook|127.0.0.1"):
            call()
    assert ours.delete_environment(made["uuid"])["deleted"] is True
    assert ours.delete_pacticipant("shop")["deleted"] is True


def test_broker_settings_from_the_environment(broker, monkeypatch):
    monkeypatch.setenv("CONTRACT_BROKER_BASE_URL", broker)
    monkeypatch.setenv("ODD", "\udcff")
    assert Broker().doctor()["broker"] == broker
    with pytest.raises(BrokerError, match="no broker URL. Pass the URL") as caught:
        Broker(use_env=False).doctor()
    assert caught.value.code == "ERR_CONTRACT_BROKER_SETTINGS"


def test_the_example_of_the_readme(broker, tmp_path, monkeypatch):
    block = re.findall(r"```python\n(.*?)```", (ROOT / "python" / "README.md").read_text(encoding="utf-8"), re.DOTALL)[3]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONTRACT_BROKER_BASE_URL", broker)
    monkeypatch.setenv("GIT_COMMIT", "abc1234")
    contract = Contract("readme", "orders")
    contract.upon_receiving("a request").with_request("GET", "/").will_respond_with(200).with_body({"id": match.int(7)})
    contract.write_file("contracts")
    ours = Broker()
    made = ours.create_environment("production")
    code = compile(block.replace('"web"', '"readme"'), "README.md", "exec")
    # This must not run before the provider exists.
    with pytest.raises(SystemExit) as ended:
        exec(code, {"app": good})
    assert ended.value.code == 1
    ours.record_deployment("orders", "abc1234", "production")
    exec(code, {"app": good})
    assert ours.delete_environment(made["uuid"])["deleted"] is True
    assert ours.delete_pacticipant("readme")["deleted"] is True


def test_calls_to_brokers_that_fail(broker, tmp_path):
    ours = Broker(broker)
    with pytest.raises(BrokerError, match="nothing") as caught:
        ours.describe_pacticipant("nothing")
    assert (caught.value.code, caught.value.status) == ("ERR_CONTRACT_BROKER_NOT_FOUND", 404)
    with pytest.raises(BrokerError) as caught:
        Broker("http://127.0.0.1:1", retries=0).list_pacticipants()
    assert (caught.value.code, caught.value.status) == ("ERR_CONTRACT_BROKER_UNREACHABLE", None)
    assert isinstance(caught.value, RuntimeError)

    contract = Contract("twice", "stock")
    contract.upon_receiving("a request").with_request("GET", "/1").will_respond_with(200)
    contract.write_file(tmp_path)
    ours.publish(tmp_path, "1")
    other = Contract("twice", "stock")
    other.upon_receiving("a request").with_request("GET", "/2").will_respond_with(200)
    other.write_file(tmp_path, overwrite=True)
    with pytest.raises(BrokerError) as caught:
        ours.publish(tmp_path, "1")
    assert caught.value.code == "ERR_CONTRACT_BROKER_CONFLICT"
    assert caught.value.notices
    assert caught.value.published == []
    for call, code in (
        (lambda: ours.publish(tmp_path / "nowhere", "1"), "ERR_CONTRACT"),
        (lambda: ours.publish(tmp_path), "ERR_CONTRACT_OPTIONS"),
    ):
        with pytest.raises((BrokerError, ValueError)) as caught:
            call()
        assert caught.value.code.startswith(code)
    for call in (
        lambda: ours.publish(7, "1"),
        lambda: ours.publish(tmp_path, 1),
        lambda: ours.can_i_deploy([{"pacticipant": ""}]),
        lambda: ours.can_i_deploy("shop"),
        lambda: ours.record_deployment("shop", "1", "\n"),
        lambda: ours.create_webhook("http://x", []),
        lambda: Broker(7).doctor(),
        lambda: Broker(broker, timeout=0).doctor(),
        lambda: Broker(broker, cert="x").doctor(),
    ):
        with pytest.raises((ContractArgumentError, TypeError)):
            call()
    assert ours.delete_pacticipant("twice")["deleted"] is True
    assert "secret" not in repr(Broker("http://a:secret@127.0.0.1"))
