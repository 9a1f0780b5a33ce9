"""Consumer tests: the mock server, its lifetime and its errors."""

import asyncio
import json
import socket
import ssl
import threading
import urllib.request

import pytest

from contract import (
    Contract,
    ContractArgumentError,
    ContractError,
    ContractFileError,
    MismatchesError,
    MockServerError,
    generate,
    match,
    serve_all,
    xml,
)
from support import request


def users(directory=None, **options):
    contract = Contract("web", "users", directory=directory, **options)
    (
        contract.upon_receiving("a request for user 123")
        .given("user exists", parameters={"id": 123})
        .with_request("GET", "/users/123")
        .will_respond_with(200)
        .with_body({"id": match.int(123), "name": match.str("Alice")})
    )
    return contract


def written(directory, name="web-users.json"):
    return json.loads((directory / name).read_text(encoding="utf-8"))


def test_a_test_that_passes_writes_the_contract(tmp_path):
    with users(tmp_path).serve() as server:
        answer = request(f"{server.url}/users/123")
        assert (answer.status, answer.json) == (200, {"id": 123, "name": "Alice"})
    file = written(tmp_path)
    assert file["consumer"] == {"name": "web"}
    assert file["interactions"][0]["providerStates"] == [{"name": "user exists", "params": {"id": 123}}]
    assert file["interactions"][0]["response"]["matchingRules"]["body"]["$.id"]["matchers"] == [{"match": "integer"}]


def test_directory_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("CONTRACT_OUTPUT_DIR", str(tmp_path))
    with users().serve() as server:
        request(server / "users/123")
    assert written(tmp_path)["provider"] == {"name": "users"}


def test_without_a_directory_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    contract = users()
    with contract.serve() as server:
        request(server / "users/123")
    assert list(tmp_path.iterdir()) == []
    assert contract.write_file() is None
    assert written(tmp_path)["interactions"][0]["description"] == "a request for user 123"


def test_an_unexpected_request_fails_the_test(tmp_path):
    contract = users(tmp_path)
    with pytest.raises(MismatchesError, match="Unexpected request: GET /users/7") as caught:
        with contract.serve() as server:
            assert request(f"{server.url}/users/7").status == 500
    assert {one["type"] for one in caught.value.mismatches} == {"request-not-found", "missing-request"}
    assert caught.value.code == "ERR_CONTRACT_MISMATCHES"
    assert "/users/7" in caught.value.logs
    assert caught.value.__cause__ is None
    assert list(tmp_path.iterdir()) == []
    # The next test of the same contract is not affected.
    contract.upon_receiving("another").with_request("GET", "/other").will_respond_with(204)
    with contract.serve() as server:
        assert request(server / "other").status == 204
    assert [one["description"] for one in written(tmp_path)["interactions"]] == ["another"]


def test_a_missing_request_fails_the_test():
    with pytest.raises(MismatchesError, match="1 missing request"):
        with users().serve():
            pass


def test_the_exception_of_the_test_is_the_cause():
    class OwnError(Exception):
        pass

    with pytest.raises(MismatchesError) as caught:
        with users().serve() as server:
            request(server / "nowhere")
            raise OwnError("the client did not understand")
    assert isinstance(caught.value.__cause__, OwnError)


def test_a_failed_test_raises_its_own_exception():
    with pytest.raises(ZeroDivisionError):
        with users().serve():
            print(1 / 0)


def test_interrupts_are_not_replaced():
    for kind in (KeyboardInterrupt, SystemExit):
        with pytest.raises(kind) as caught:
            with users().serve() as server:
                request(server / "nowhere")
                raise kind
        if hasattr(caught.value, "__notes__"):
            assert "Unexpected request: GET /nowhere" in caught.value.__notes__[0]


def test_mismatches_without_raising(capsys):
    with users().serve(raises=False, verbose=True) as server:
        assert not server.matched
        assert server.mismatches[0]["type"] == "missing-request"
        with pytest.raises(MismatchesError):
            server.verify()
    assert server.mismatches[0]["type"] == "missing-request"
    assert "1 missing request" in capsys.readouterr().err


def test_properties_of_the_server():
    server = users().serve(host="localhost", port=0)
    for name in ("url", "host", "transport", "matched", "mismatches", "logs", "requests"):
        with pytest.raises(RuntimeError, match="has not been started"):
            getattr(server, name)
    assert repr(server) == "<MockServer not running>"
    with server as entered:
        assert entered is server
        assert server.url == str(server) == f"http://localhost:{server.port}"
        assert (server.host, server.transport, server.ca_certificate) == ("localhost", "http", None)
        assert server / "users/123" == server / "/users/123" == server.resolve("users/123") == f"{server.url}/users/123"
        for elsewhere in ("//host.example/x", "https://host.example/x"):
            with pytest.raises(ContractArgumentError, match="resolve: .* is not on this server"):
                server.resolve(elsewhere)
        request(server / "users/123", headers={"X-A": "b"})
        assert server.matched
        assert server.mismatches == []
        assert server.requests[0]["path"] == "/users/123"
        assert server.requests[0]["outcome"] == "matched"
        assert "GET /users/123" in server.logs
    assert server.port is None
    server.stop()


def test_start_and_stop_without_a_block():
    server = users().serve().start()
    assert server.start() is server
    request(server / "users/123")
    server.stop()
    server = users().serve().start()
    with pytest.raises(MismatchesError):
        server.stop()
    server.stop()


def test_reports_a_port_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        contract = users()
        with pytest.raises(MockServerError) as caught:
            contract.serve(port=port).start()
    assert caught.value.code == "ERR_CONTRACT_ADDRESS_IN_USE"
    assert (caught.value.port, isinstance(caught.value.errno, int)) == (port, True)
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(ContractArgumentError, match="host must be an address or a host name"):
        users().serve(host="no such host").start()


def test_https_with_a_generated_certificate():
    with users().serve(transport="https") as server:
        context = ssl.create_default_context(cadata=server.ca_certificate)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )
        with opener.open(f"{server.url}/users/123") as answer:
            assert json.load(answer)["id"] == 123


def test_rejects_invalid_options():
    for options, argument in [
        ({"port": 70000}, "port"),
        ({"port": "80"}, "port"),
        ({"transport": "ftp"}, "transport"),
        ({"limits": {"body_siz": 1}}, None),
        ({"unexpected_fields": "maybe"}, "unexpected_fields"),
        ({"tls": {"cert": b"x"}}, "tls"),
        ({"only": [1]}, "only"),
        ({"only": 7}, "only"),
    ]:
        contract = users()
        with pytest.raises(ContractArgumentError) as caught:
            contract.serve(**options).start()
        assert caught.value.operation == "serve"
        assert argument is None or caught.value.argument == argument
        # The next test does not serve the interactions of the rejected call.
        with pytest.raises(ContractArgumentError, match="nothing|no interaction"):
            contract.serve().start()
    with pytest.raises(TypeError, match="hots"):
        users().serve(hots="localhost")


def test_serves_only_all_or_one_interaction():
    contract = users()
    one = contract.upon_receiving("one").with_request("GET", "/one").will_respond_with(200)
    with contract.serve(only=[one]) as server:
        request(server / "one")
    with one.serve() as server:
        request(server / "one")
    with contract.serve(all=True) as server:
        request(server / "one")
        request(server / "users/123")


def test_times_optional_and_order():
    contract = Contract("web", "queue")
    contract.upon_receiving("first").with_request("GET", "/next").will_respond_with(200).with_body("1").times(2)
    contract.upon_receiving("last").with_request("GET", "/next").will_respond_with(200).with_body("2").times(min=1)
    contract.upon_receiving("never").with_request("GET", "/never").will_respond_with(200).optional()
    with contract.serve(in_order=True) as server:
        assert [request(server / "next").body for _ in range(3)] == [b"1", b"1", b"2"]


def test_unexpected_fields():
    def posting(**options):
        contract = Contract("web", "orders", **options)
        contract.upon_receiving("an order").with_request("POST", "/orders").with_body({"id": match.int(1)})
        return contract

    with posting().serve(raises=False) as server:
        request(server / "orders", "POST", {"id": 1, "more": True})
        assert server.requests[0]["unexpectedFields"] == ["/more"]
    with posting(unexpected_fields="error").serve(raises=False) as server:
        assert request(server / "orders", "POST", {"id": 1, "more": True}).status == 500


def test_several_providers_at_once(tmp_path):
    orders = Contract("web", "orders", directory=tmp_path)
    orders.upon_receiving("orders").with_request("GET", "/orders").will_respond_with(200)
    with serve_all(users(tmp_path), orders) as (first, second):
        request(first / "users/123")
        request(second / "orders")
    assert {path.name for path in tmp_path.iterdir()} == {"web-users.json", "web-orders.json"}
    orders.upon_receiving("more").with_request("GET", "/more").will_respond_with(200)
    with pytest.raises(MismatchesError, match=r"(?s)web → users: .*web → orders: ") as caught:
        with serve_all(users(), orders):
            pass
    assert len(caught.value.mismatches) == 2
    orders.upon_receiving("again").with_request("GET", "/again").will_respond_with(200)
    with pytest.raises(ContractArgumentError):
        with serve_all(orders, Contract("web", "empty")):
            pass


def test_serve_in_a_coroutine():
    async def test():
        async with users().serve() as server:
            answer = await asyncio.get_running_loop().run_in_executor(None, request, server / "users/123")
            assert answer.status == 200
        with pytest.raises(MismatchesError):
            async with users().serve():
                pass

    asyncio.run(test())


def test_concurrent_threads(tmp_path):
    failed = []

    def one(number):
        try:
            contract = Contract("web", "threads", directory=tmp_path)
            for turn in range(5):
                path = f"/{number}/{turn}"
                contract.upon_receiving(path).with_request("GET", path).will_respond_with(200)
                with contract.serve() as server:
                    request(server.url + path)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(written(tmp_path, "web-threads.json")["interactions"]) == 40


def test_generated_values_with_a_seed():
    def body(seed):
        contract = Contract("web", "users", seed=seed)
        contract.upon_receiving("x").with_request("GET", "/").will_respond_with(200).with_body(
            {
                "id": generate.uuid(format="simple"),
                "number": generate.int(min=1, max=10**9),
                "url": generate.mock_server_url("http://localhost/a/b", r".*(/a/b)$"),
            }
        )
        with contract.serve() as server:
            answer = request(server.url + "/").json
            assert answer["url"] == server.url + "/a/b"
            return answer["id"], answer["number"]

    assert body(7) == body(7) != body(8)
    assert len(body(7)[0]) == 32


def test_bodies_of_all_kinds(tmp_path):
    file = tmp_path / "note.txt"
    file.write_text("hello")
    contract = Contract("web", "bodies")
    contract.upon_receiving("text").with_request("POST", "/text").with_body("plain", "text/plain").will_respond_with(
        200
    ).with_body("answer", content_type="text/plain")
    contract.upon_receiving("null").with_request("POST", "/null").with_body(None, "application/json")
    contract.upon_receiving("bytes").with_request("POST", "/bytes").with_binary_body(b"\x00\x01", "application/x-a")
    contract.upon_receiving("xml").with_request("POST", "/xml").with_body(
        xml.body(xml.element("order", xml.element("item", match.str("tea")).each(min=2), attrs={"id": match.int(7)}))
    )
    contract.upon_receiving("file").with_request("POST", "/file").with_multipart_file("note", file, "text/plain")
    contract.upon_receiving("form").with_request("POST", "/form").with_form_body([("a", "1"), ("a", "2")])
    sent = {
        "/text": (b"plain", "text/plain"),
        "/null": (b"null", "application/json"),
        "/bytes": (b"\x00\x01", "application/x-a"),
        "/xml": (b'<order id="8"><item>a</item><item>b</item><item>c</item></order>', "application/xml"),
        "/file": (
            b'--x\r\nContent-Disposition: form-data; name="note"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nbye\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
        "/form": (b"a=1&a=2", "application/x-www-form-urlencoded"),
    }
    with contract.serve() as server:
        for path, (body, content_type) in sent.items():
            answer = request(server / path, "POST", body, {"Content-Type": content_type})
            assert answer.status == 200, (path, answer.body)
        assert request(server / "text", "POST", b"plain", {"Content-Type": "text/plain"}).body == b"answer"


def test_reports_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ContractFileError) as caught:
        users().write_file(tmp_path / "file")
    assert caught.value.path
    assert isinstance(caught.value, RuntimeError)
    (tmp_path / "web-users.json").write_text("no json")
    with pytest.raises(ContractFileError):
        users().write_file(tmp_path)
    assert (tmp_path / "web-users.json").read_text() == "no json"
    users().write_file(tmp_path, overwrite=True)
    assert written(tmp_path)["interactions"]


def test_the_contract_itself(tmp_path):
    contract = users().with_specification("v3").with_metadata("own", {"a": "b"})
    assert (contract.consumer, contract.provider, contract.specification) == ("web", "users", "V3")
    contract.write_file(tmp_path / "new" / "folder")
    file = written(tmp_path / "new" / "folder")
    assert file["metadata"]["pactSpecification"]["version"].startswith("3")
    assert file["metadata"]["own"] == {"a": "b"}
    for version in ("V5", "", "1"):
        with pytest.raises(ValueError, match="."):
            contract.with_specification(version)
    assert [one["description"] for one in contract.interactions()] == ["a request for user 123"]
    assert contract.interactions("Async") == []
    for kind in ("Nothing", 7):
        with pytest.raises(ValueError, match="kind"):
            contract.interactions(kind)


def test_errors_can_be_pickled():
    import pickle

    try:
        match.int("7")
    except ContractArgumentError as error:
        copy = pickle.loads(pickle.dumps(error))
        assert (str(copy), copy.code, copy.operation) == (str(error), error.code, "match.int")
    with pytest.raises(MismatchesError) as caught, users().serve():
        pass
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.mismatches) == (str(caught.value), caught.value.mismatches)
    assert isinstance(copy, ContractError)


def test_the_default_kind_is_http():
    contract = Contract("web", "orders")
    contract.upon_receiving("x", None).with_request("GET", "/")
    assert contract.interactions("HTTP")[0]["description"] == "x"


def test_errors_use_python_terms():
    one = Contract("web", "orders").upon_receiving("x")
    with pytest.raises(ContractArgumentError, match="^with_request: method must be a string, received None"):
        one.with_request(None, "/")
    with pytest.raises(ContractArgumentError, match=r"^given: unknown option .id.(.|\n)*parameters=\{"):
        one.given("an order exists", id=7)
    with pytest.raises(ContractArgumentError, match="^set_pending: pending must be True or False, received None \\[ERR_CONTRACT_"):
        one.set_pending(pending=None)
    # Quoted text comes from a user and is not changed.
    with pytest.raises(ContractArgumentError, match=r'received "null and true" \['):
        match.int("null and true")
    with pytest.raises(ContractArgumentError, match=r"operation_name must be a string or None, received a number"):
        one.with_request("POST", "/").with_graphql("query A { a }", None, 7)
    with pytest.raises(ContractArgumentError, match=r"select one with operation_name"):
        one.with_request("POST", "/").with_graphql("query A { a } query B { b }")
    with pytest.raises(ContractArgumentError, match=r'requires the variable \$id; add "id" to variables \['):
        one.with_request("POST", "/").with_graphql("query A($id: ID!) { a(id: $id) }")
    with pytest.raises(ContractArgumentError, match=r"client_error, server_error, non_error, or error"):
        match.status("client_fault")


def test_threads_on_one_contract():
    contract = Contract("web", "orders")
    begun, end = threading.Event(), threading.Event()

    def other():
        contract.upon_receiving("other").with_request("GET", "/other").will_respond_with(200)
        begun.set()
        end.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(60)
    one = contract.upon_receiving("own").with_request("GET", "/own").will_respond_with(200)
    try:
        with pytest.raises(ContractArgumentError, match="another running thread defined") as caught:
            contract.serve().start()
        assert caught.value.code == "ERR_CONTRACT_OTHER_THREAD"
        # The solution that the message suggests; the interaction of the other thread still exists.
        with one.serve() as server:
            request(server / "own")
    finally:
        end.set()
        thread.join()
    with contract.serve() as server:
        request(server / "other")


def test_an_invalid_matcher_leaves_only_its_own_call_incomplete():
    contract = Contract("web", "users")
    first = contract.upon_receiving("first").with_request("GET", "/1").will_respond_with(200)
    second = contract.upon_receiving("second").with_request("GET", "/2").will_respond_with(200)
    with pytest.raises(ContractArgumentError, match="less than min 6"):
        match.int(5, min=6)
    with contract.serve(only=[second]) as server:
        assert request(f"{server.url}/2").status == 200
    with pytest.raises(ContractArgumentError, match="less than min 6"):
        first.with_body({"id": match.int(5, min=6)})
    with pytest.raises(ContractArgumentError, match="(?s)first.*less than min 6"), contract.serve():
        pass
