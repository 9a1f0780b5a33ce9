"""Verifications: applications in this process, handlers, filters, and reports."""

import asyncio
import json
import copy
import functools
import pickle
import re
import sys
import threading

import pytest

from contract import UNSET, Contract, ContractArgumentError, ContractError, ContractWarning, VerificationError, Verifier, format_report, match, write_report


@pytest.fixture
def contracts(tmp_path):
    contract = Contract("web", "orders")
    one = contract.upon_receiving("a request for an order").given("an order exists", parameters={"id": 7})
    one.with_request("GET", "/orders/7").with_query_parameter("full", "yes").will_respond_with(200)
    one.with_body({"id": match.int(7), "state": "open"})
    two = contract.upon_receiving("an order is placed").with_request("POST", "/orders").with_body({"item": "tea"})
    two.will_respond_with(201).with_header("Location", match.regex("/orders/8", regex=r"/orders/\d+"))
    contract.write_file(tmp_path)
    return tmp_path


class Store:
    def __init__(self):
        self.orders = {}
        self.threads = set()

    def states(self):
        def exists(action, parameters):
            self.threads.add(threading.get_ident())
            if action == "setup":
                self.orders[parameters["id"]] = "open"
            else:
                self.orders.clear()

        return {"an order exists": exists}


def flask_app(store):
    flask = pytest.importorskip("flask")
    app = flask.Flask("orders")

    @app.get("/orders/<int:number>")
    def order(number):
        assert flask.request.args["full"] == "yes"
        return {"id": number, "state": store.orders[number]}

    @app.post("/orders")
    def place():
        assert flask.request.json == {"item": "tea"}
        return "", 201, {"Location": "/orders/8"}

    return app


def fastapi_app(store):
    fastapi = pytest.importorskip("fastapi")
    started = []

    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def lifespan(app):
        started.append("up")
        yield
        started.append("down")

    app = fastapi.FastAPI(lifespan=lifespan)
    app.state.started = started

    @app.get("/orders/{number}")
    async def order(number: int, full: str):
        assert started[-1] == "up"
        return {"id": number, "state": store.orders[number]}

    @app.post("/orders", status_code=201)
    async def place(body: dict, response: fastapi.Response):
        response.headers["Location"] = "/orders/8"

    return app


def starlette_app(store):
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, StreamingResponse
    from starlette.routing import Route

    async def order(request):
        async def lines():
            yield b'{"id": 7, '
            yield b'"state": "open"}'

        return StreamingResponse(lines(), media_type="application/json")

    async def place(request):
        assert await request.json() == {"item": "tea"}
        return JSONResponse(None, 201, {"Location": "/orders/8"})

    return Starlette(routes=[Route("/orders/{number}", order), Route("/orders", place, methods=["POST"])])


def django_app(store, asynchronous):
    pytest.importorskip("django")
    from django.conf import settings

    if not settings.configured:
        settings.configure(SECRET_KEY="x", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], MIDDLEWARE=[])
        import django

        django.setup()
    from django.core.asgi import get_asgi_application
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse, JsonResponse
    from django.urls import path

    def order(request, number):
        return JsonResponse({"id": number, "state": store.orders[number]})

    def place(request):
        return HttpResponse(status=201, headers={"Location": "/orders/8"})

    urlpatterns[:] = [path("orders/<int:number>", order), path("orders", place)]
    return get_asgi_application() if asynchronous else get_wsgi_application()


urlpatterns = []


def bare_wsgi(store):
    def app(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if environ["REQUEST_METHOD"] == "POST":
            assert json.loads(body) == {"item": "tea"}
            start_response("201 Created", [("Location", "/orders/8")])
            return []
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"id": 7, "state": store.orders[7]}).encode()]

    return app


def bare_asgi(store):
    async def app(scope, receive, send):
        if scope["type"] != "http":
            raise RuntimeError("no lifespan here")
        body = (await receive())["body"]
        if scope["method"] == "POST":
            assert json.loads(body) == {"item": "tea"}
            await send({"type": "http.response.start", "status": 201, "headers": [(b"location", b"/orders/8")]})
            await send({"type": "http.response.body"})
            return
        assert scope["query_string"] == b"full=yes"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps({"id": 7, "state": store.orders[7]}).encode()})

    return app


APPS = {
    "flask": flask_app,
    "fastapi": fastapi_app,
    "starlette": starlette_app,
    "django wsgi": lambda store: django_app(store, False),
    "django asgi": lambda store: django_app(store, True),
    "bare wsgi": bare_wsgi,
    "bare asgi": bare_asgi,
}


@pytest.mark.parametrize("name", APPS)
def test_applications_in_this_process(contracts, name):
    store = Store()
    app = APPS[name](store)
    verifier = Verifier("orders").add_source(contracts).add_transport(app=app).state_handler(store.states(), teardown=True)
    for _ in range(2):
        assert verifier.verify().results["summary"]["passed"] == 2
    # Handlers run on the thread of the verification.
    assert store.threads == {threading.get_ident()}
    assert store.orders == {}
    if name == "fastapi":
        assert app.state.started == ["up", "down"] * 2
    assert not [one for one in threading.enumerate() if one.name.startswith("contract-")]


@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
def test_an_application_that_raises(contracts, kind):
    class OwnError(Exception):
        pass

    def wsgi(environ, start_response):
        raise OwnError("the database is gone")

    async def asgi(scope, receive, send):
        raise OwnError("the database is gone")

    verifier = Verifier("orders").add_source(contracts).add_transport(app={"wsgi": wsgi, "asgi": asgi}[kind])
    with pytest.raises(VerificationError) as caught:
        verifier.state_handler(lambda state, action, parameters: None).verify()
    assert [type(cause) for cause in caught.value.causes] == [OwnError, OwnError]
    if sys.version_info >= (3, 11):
        assert caught.value.__cause__.exceptions == tuple(caught.value.causes)
        assert str(caught.value.__cause__).startswith("2 exceptions raised by the provider's functions")
    else:
        assert caught.value.__cause__ is caught.value.causes[0]
    assert caught.value.report["summary"]["failed"] == 2


def test_rejects_values_that_are_not_applications():
    class App:
        pass

    for app in (7, "app", App, object(), []):
        with pytest.raises(TypeError, match="WSGI or ASGI"):
            Verifier("orders").add_transport(app=app)
    with pytest.raises(ValueError, match="interface"):
        Verifier("orders").add_transport(app=print, interface="cgi")

    async def fails_to_start(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.failed", "message": "no database"})

    with pytest.raises(RuntimeError, match="failed to start"):
        Verifier("orders").add_transport(app=fails_to_start).verify()


def test_transports(contracts, provider):
    store = Store()
    store.orders[7] = "open"

    def answer(method, path, body, headers):
        assert path.startswith("/api/")
        return (201, {}) if method == "POST" else (200, {"id": 7, "state": "open"})

    url = provider(answer)
    port = int(url.rpartition(":")[2])
    for transport in ({"url": f"{url}/api"}, {"protocol": "http", "port": port, "path": "/api", "scheme": "http"}):
        verifier = Verifier("orders", host="127.0.0.1").add_source(contracts).add_transport(**transport)
        verifier.filter("a request for an order").state_handler(lambda state, action, parameters: None).verify()
    for transport, argument in [
        ({}, None),
        ({"url": "no url"}, None),
        ({"url": "ftp://a"}, None),
        ({"url": url, "port": 80}, None),
        ({"url": url, "protocol": "message", "scheme": "http"}, None),
        ({"port": "80"}, None),
        ({"protocol": "http", "port": 99999}, None),
        ({"url": 7}, None),
    ]:
        with pytest.raises(ValueError, match="add_transport") as caught:
            Verifier("orders").add_transport(**transport)
        assert caught.value.operation == "add_transport"


def test_sources(contracts, provider):
    file = next(contracts.iterdir())
    text = file.read_text(encoding="utf-8")
    asked = []

    def answer(method, path, body, headers):
        asked.append((path, headers.get("Authorization")))
        if path == "/contract":
            return 200, text.encode()
        return (201, {}) if method == "POST" else (200, {"id": 7, "state": "open"})

    url = provider(answer)
    for source in (contracts, str(contracts), file, str(contracts / "*-orders.json"), {"json": text}, {"json": json.loads(text)}):
        listed = Verifier("orders").add_source(source).interactions()
        assert [str(one) for one in listed] == ["a request for an order, given an order exists", "an order is placed"]
    verifier = Verifier("orders").add_source(f"{url}/contract", token="secret").add_transport(url=url)
    assert len(verifier.prepare().interactions()) == 2
    assert asked[0] == ("/contract", "Bearer secret")
    for given in (
        {"source": contracts / "nowhere"},
        {"source": 7},
        {"source": f"{url}/contract", "username": "a", "token": "b"},
        {"source": url.replace("://", "://a:b@"), "username": "c"},
        {"source": {"json": "no json"}},
    ):
        with pytest.raises((ValueError, ContractError)):
            Verifier("orders").add_source(**given).interactions()


def test_rejects_a_missing_source_immediately(contracts):
    verifier = Verifier("orders")
    for place in (contracts / "nowhere", contracts / "nowhere" / "*.json"):
        with pytest.raises(ContractArgumentError, match=r"add_source: could not read the contracts in .*nowhere: ") as caught:
            verifier.add_source(place)
        assert (caught.value.code, caught.value.argument) == ("ERR_CONTRACT_SOURCE", "source")
    # The rejected source has no effect. Patterns are expanded when contracts are read.
    assert len(verifier.add_source(contracts).interactions()) == 2
    assert verifier.add_source(contracts / "later-*.json") is verifier


def test_state_handlers_by_the_names_of_their_parameters(contracts):
    calls = []
    app = bare_wsgi(Store())
    handlers = [
        lambda state, action, parameters: calls.append((state, action, parameters)),
        lambda parameters, state: calls.append((state, parameters)),
        lambda *arguments: calls.append(arguments),
        lambda name, what, with_what: calls.append((name, what, with_what)),
        lambda name, /, *, action: calls.append((name, action)),
        lambda: calls.append(()),
    ]
    expected = [
        ("an order exists", "setup", {"id": 7}),
        ("an order exists", {"id": 7}),
        ("an order exists", "setup", {"id": 7}),
        ("an order exists", "setup", {"id": 7}),
        ("an order exists", "setup"),
        (),
    ]
    for handler in handlers:
        verifier = Verifier("orders").add_source(contracts).add_transport(app=app).state_handler(handler)
        with pytest.raises(VerificationError):
            verifier.filter("a request for an order").verify()
    assert calls == expected


def test_all_forms_of_state_handlers(contracts):
    store = Store()
    calls = []

    async def setup(parameters):
        await asyncio.sleep(0)
        store.orders[parameters["id"]] = "open"
        calls.append("setup")

    handler = {"an order exists": {"setup": setup, "teardown": lambda parameters: calls.append("teardown")}}
    verifier = Verifier("orders").add_source(contracts).add_transport(app=flask_app(store)).state_handler(handler)
    verifier.verify()
    assert calls == ["setup", "teardown"]

    async def inside():
        await verifier.verify_async()
        # The loop runs in a separate thread.
        verifier.verify()

    asyncio.run(inside())
    assert calls == ["setup", "teardown"] * 3
    for refused, given in [
        (7, {}),
        ("http://127.0.0.1/states", {}),
        ("no url", {"body": True}),
        (print, {"body": True}),
        ({"a": 7}, {}),
        ({"a": {"setup": 7}}, {}),
        ({"a": {"begin": print}}, {}),
        ({"a": print}, {"headers": {}}),
        ({"a": print}, {"on_missing": "shrug"}),
        (None, {}),
    ]:
        with pytest.raises((ValueError, TypeError)) as caught:
            Verifier("orders").state_handler(refused, **given)
        assert isinstance(caught.value, ContractArgumentError)


def test_a_state_without_handler(contracts):
    store = Store()
    store.orders[7] = "open"

    def verifier(**options):
        made = Verifier("orders").add_source(contracts).add_transport(app=flask_app(store))
        return made.state_handler({"an order exist": lambda action, parameters: None}, **options)

    with pytest.raises(VerificationError, match="an order exist"):
        verifier().verify()
    warned = verifier(on_missing="warn")
    with pytest.warns(ContractWarning, match="an order exists") as caught:
        warned.verify()
    assert [str(one.message) for one in caught] == warned.results["warnings"]
    assert caught[0].filename == __file__
    assert verifier(on_missing="ignore").verify().results["warnings"] == []


def test_request_filters_hooks_and_header_functions(contracts):
    seen = []

    def app(environ, start_response):
        seen.append((environ["QUERY_STRING"], environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_X_COUNT")))
        return bare_wsgi(store)(environ, start_response)

    store = Store()
    order = []
    verifier = Verifier("orders").add_source(contracts).add_transport(app=app).state_handler(store.states())

    async def authorize(request, context):
        request.headers["authorization"] = f"Bearer {context.interaction.description}"
        request.query["more"] = ["1", "2"]

    count = iter(range(9))
    verifier.request_filter(authorize).add_custom_header("X-Count", lambda: str(next(count)))
    verifier.before_each(lambda interaction: order.append(("before", interaction.description)))
    verifier.after_each(lambda interaction, result: order.append(("after", result["status"])))
    verifier.verify()
    assert seen[0] == ("full=yes&more=1&more=2", "Bearer a request for an order", "0")
    assert seen[1][2] == "1"
    assert order[:2] == [("before", "a request for an order"), ("after", "passed")]
    verifier = Verifier("orders").add_source(contracts).add_transport(app=app).state_handler(store.states())
    with pytest.raises(VerificationError, match="TypeError: a request filter must return a Request"):
        verifier.request_filter(lambda request, context: 7).verify()


def test_verifies_single_interactions(contracts):
    store = Store()
    verifier = Verifier("orders").add_source(contracts).add_transport(app=flask_app(store)).state_handler(store.states())
    with verifier:
        listed = verifier.interactions()
        assert [one.group for one in listed] == ["honors the contract with web"] * 2
        for one in listed:
            one.verify()
    assert verifier.results["summary"]["passed"] == 2
    broken = Verifier("orders").add_source(contracts).add_transport(app=bare_wsgi(Store())).state_handler(lambda *_: None)
    with broken:
        first, second = broken.interactions()
        with pytest.raises(VerificationError) as caught:
            first.verify()
        assert isinstance(caught.value.__cause__, KeyError)
        second.verify()
    assert broken.results["summary"] | {"durationMs": 0} == {
        "total": 2,
        "passed": 1,
        "failed": 1,
        "pending": 0,
        "skipped": 0,
        "filtered": 0,
        "durationMs": 0,
    }


def test_reports(contracts, tmp_path_factory):
    store = Store()
    verifier = Verifier("orders").add_source(contracts).add_transport(app=flask_app(store)).state_handler(store.states())
    assert (verifier.results, verifier.output(), verifier.logs) == (None, "", [])
    folder = tmp_path_factory.mktemp("reports")
    with pytest.raises(ValueError, match="verify"):
        verifier.write_report("json", folder / "x.json")
    verifier.set_coloured_output().verify()
    assert "\x1b[" in verifier.output()
    assert "\x1b[" not in verifier.output(strip_ansi=True)
    verifier.write_report("junit", folder / "a" / "junit.xml")
    assert (folder / "a" / "junit.xml").read_text().startswith("<?xml")
    assert "orders" in format_report(verifier.results, "markdown")
    write_report(verifier.results, "json", folder / "report.json")
    assert json.loads((folder / "report.json").read_text())["provider"] == "orders"
    for report, format in (("no report", "json"), (verifier.results, "pdf"), (verifier.results, 7)):
        with pytest.raises(ValueError, match="."):
            format_report(report, format)


def test_runs(contracts):
    store = Store()
    verifier = Verifier("orders").add_source(contracts).add_transport(app=bare_wsgi(store))
    verifier.state_handler(lambda state, action, parameters: None)
    with pytest.raises(VerificationError) as caught:
        verifier.verify(exit_first=True)
    assert caught.value.report["summary"]["skipped"] == 1
    verifier.filter(re.compile("AN ORDER IS", re.IGNORECASE)).verify(concurrency=4)
    assert verifier.results["summary"]["filtered"] == 1
    for options in ({"concurrency": 0}, {"concurrency": "2"}):
        with pytest.raises(ValueError, match="concurrency"):
            verifier.verify(**options)
    with pytest.raises(TypeError):
        verifier.verify(exit_frist=True)


def test_rejects_invalid_settings():
    for refused in (
        lambda verifier: verifier.set_request_timeout(-1),
        lambda verifier: verifier.set_request_timeout("5 s"),
        lambda verifier: verifier.set_callback_timeout(0),
        lambda verifier: verifier.set_body_limit(1.5),
        lambda verifier: verifier.add_custom_header("a b", "c"),
        lambda verifier: verifier.add_custom_header("a", 7),
        lambda verifier: verifier.add_custom_headers({"a": "b\n"}),
        lambda verifier: verifier.add_custom_headers(7),
        lambda verifier: verifier.filter_consumers(7),
        lambda verifier: verifier.request_filter(7),
        lambda verifier: verifier.before_each(None),
        lambda verifier: verifier.set_http_version("3"),
        lambda verifier: verifier.tls(ca="no pem"),
        lambda verifier: verifier.filter(re.compile("a", re.ASCII)),
        lambda verifier: verifier.filter(re.compile(b"a")),
        lambda verifier: verifier.follow_redirects("yes"),
    ):
        verifier = Verifier("orders")
        with pytest.raises(ContractArgumentError):
            refused(verifier)
        verifier.set_request_timeout(100)
    for name in ("", 7, None):
        with pytest.raises(ValueError, match="provider"):
            Verifier(name)


def test_no_transport_and_nothing_to_verify(contracts, tmp_path_factory):
    with pytest.raises(RuntimeError, match="no transport for the provider"):
        Verifier("orders").add_source(contracts).verify()
    with pytest.raises(RuntimeError, match="add_source"):
        Verifier("orders").add_transport(url="http://127.0.0.1:1").verify()
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(RuntimeError):
        Verifier("orders").add_source(empty).add_transport(url="http://127.0.0.1:1").verify()
    verifier = Verifier("orders").add_source(empty).add_transport(url="http://127.0.0.1:1")
    assert verifier.set_error_on_empty_contract(False).verify().results["summary"]["total"] == 0


def frames_of(error):
    """Return the functions in the traceback of an exception, outermost first."""
    names, traceback = [], error.__traceback__
    while traceback is not None:
        names.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    return names


FAILING = {
    "state handler": lambda verifier, fail: verifier.state_handler({"an order exists": fail}),
    "request filter": lambda verifier, fail: verifier.request_filter(fail),
    "before_each": lambda verifier, fail: verifier.before_each(fail),
    "after_each": lambda verifier, fail: verifier.after_each(fail),
    "header": lambda verifier, fail: verifier.add_custom_header("X-Id", fail),
}


@pytest.mark.parametrize("where", FAILING)
@pytest.mark.parametrize("is_async", [False, True])
def test_exceptions_of_functions_keep_their_traceback(contracts, where, is_async):
    def fails_here(*_, **__):
        raise LookupError("not found")

    async def fails_later(*_, **__):
        await asyncio.sleep(0)
        fails_here()

    store = Store()
    store.orders[7] = "open"
    verifier = Verifier("orders").add_source(contracts).add_transport(app=bare_wsgi(store)).filter("a request for an order")
    if where != "state handler":
        verifier.state_handler(lambda *_: None)
    FAILING[where](verifier, fails_later if is_async else fails_here)
    with pytest.raises(VerificationError) as caught:
        verifier.verify()
    assert isinstance(caught.value.__cause__, LookupError)
    frames = frames_of(caught.value.__cause__)
    assert frames[-1] == "fails_here"
    assert ("fails_later" in frames) == is_async


def test_exceptions_of_message_functions_keep_their_traceback(tmp_path):
    contract = Contract("web", "orders")
    contract.upon_receiving("an event", "Async").with_body({"id": 7})
    contract.write_file(tmp_path)

    def fails_here():
        raise LookupError("not found")

    verifier = Verifier("orders").add_source(tmp_path).message_handler({"an event": fails_here})
    with pytest.raises(VerificationError) as caught:
        verifier.verify()
    assert frames_of(caught.value.__cause__)[-1] == "fails_here"


def test_verify_async_stops_immediately_when_canceled(contracts, provider):
    asked, release = threading.Event(), threading.Event()

    def answer(method, path, body, headers):
        asked.set()
        release.wait(60)
        return 200, {}

    verifier = Verifier("orders").add_source(contracts).add_transport(url=provider(answer)).set_request_timeout(60_000)
    verifier.state_handler(lambda *_: None)

    async def cancelled():
        task = asyncio.ensure_future(verifier.verify_async())
        await asyncio.get_running_loop().run_in_executor(None, asked.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The thread of the verification has ended, although the provider has not responded.
        assert not [one for one in threading.enumerate() if one.name == "contract-verification"]

    async def late():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(verifier.verify_async(), 0.05)

    try:
        asyncio.run(cancelled())
        asyncio.run(late())
        assert not release.is_set()
    finally:
        release.set()


def test_verify_async_does_not_wait_for_an_application_that_does_not_respond(contracts, monkeypatch):
    monkeypatch.setattr("contract._apps._CLEANUP_SECONDS", 600)
    started, canceled = threading.Event(), []

    async def hangs(scope, receive, send):
        if scope["type"] == "lifespan":
            return
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            canceled.append(True)
            raise

    verifier = Verifier("orders").add_source(contracts).add_transport(app=hangs).state_handler(lambda *_: None)

    async def run():
        task = asyncio.ensure_future(verifier.verify_async())
        await asyncio.get_running_loop().run_in_executor(None, started.wait, 60)
        task.cancel()
        await asyncio.wait([task], timeout=60)
        assert task.cancelled()

    asyncio.run(run())
    assert canceled


def test_canceling_verify_async_cancels_the_handler(contracts):
    started, ended = [], []

    async def never(action, parameters):
        started.append(asyncio.get_running_loop())
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    verifier = Verifier("orders").add_source(contracts).add_transport(app=bare_wsgi(Store()))
    verifier.state_handler({"an order exists": never})

    async def run():
        task = asyncio.ensure_future(verifier.verify_async())
        while not started:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.get_running_loop()

    assert started == [asyncio.run(run())]
    assert ended == [True]


def starting(up, down=lambda: None):
    """An ASGI application with startup and shutdown."""
    from contextlib import asynccontextmanager

    fastapi = pytest.importorskip("fastapi")

    @asynccontextmanager
    async def lifespan(app):
        up()
        yield
        down()

    return fastapi.FastAPI(lifespan=lifespan)


def fail():
    raise LookupError("no database")


def test_an_application_that_does_not_start(contracts):
    verifier = Verifier("orders").add_source(contracts).add_transport(app=starting(fail))
    with pytest.raises(ContractError, match=r"^the application failed to start: LookupError: no database \[ERR_CONTRACT_APP\]$") as caught:
        verifier.verify()
    assert caught.value.code == "ERR_CONTRACT_APP"
    assert isinstance(caught.value.__cause__, LookupError)
    assert frames_of(caught.value.__cause__)[-1] == "fail"
    with pytest.raises(ContractError, match="failed to start: LookupError"):
        asyncio.run(verifier.verify_async())

    # Without `lifespan.startup.failed`, the application might not support lifespan. Its exception still explains the failure.
    async def raises(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            fail()
        await send({"type": "http.response.start", "status": 500, "headers": []})
        await send({"type": "http.response.body"})

    verifier = Verifier("orders").add_source(contracts).add_transport(app=raises).state_handler(lambda *_: None)
    with pytest.raises(VerificationError) as caught:
        verifier.verify()
    assert isinstance(caught.value.__cause__, LookupError)


def test_an_application_that_does_not_shut_down(contracts):
    app = starting(lambda: None, fail)
    app.get("/orders/7")(lambda: {"id": 7, "state": "open"})
    verifier = Verifier("orders").add_source(contracts).add_transport(app=app).filter("a request for an order")
    verifier.state_handler(lambda *_: None)
    with pytest.warns(ContractWarning, match="^the application failed to shut down: LookupError: no database$"):
        verifier.verify()


@pytest.mark.parametrize("form", ["verify", "verify_async", "one by one"])
def test_coroutine_functions_run_on_the_loop_of_the_application(contracts, form):
    loops = {}
    inner = bare_asgi(store := Store())

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            loops["application"] = asyncio.get_running_loop()
        await inner(scope, receive, send)

    async def exists(action, parameters):
        loops["handler"] = asyncio.get_running_loop()
        store.orders[7] = "open"

    verifier = Verifier("orders").add_source(contracts).add_transport(app=app)
    verifier.state_handler({"an order exists": exists})

    async def run():
        await verifier.verify_async()
        return asyncio.get_running_loop()

    if form == "verify":
        verifier.verify()
    elif form == "verify_async":
        assert asyncio.run(run()) is loops["application"]
    else:
        with verifier:
            for one in verifier.interactions():
                one.verify()
    assert loops["handler"] is loops["application"]
    assert not [one for one in threading.enumerate() if one.name.startswith("contract-")]


def test_a_passed_verification_warns_about_pending_failures(tmp_path):
    contract = Contract("web", "orders")
    contract.upon_receiving("not built yet").with_request("GET", "/x").will_respond_with(204)
    contract.interaction("later", request={"method": "GET", "path": "/y"}, response={"status": 204}, pending=True)
    contract.write_file(tmp_path)

    def app(environ, start_response):
        start_response("204 No Content" if environ["PATH_INFO"] == "/x" else "500 No", [])
        return []

    verifier = Verifier("orders").add_source(tmp_path).add_transport(app=app)
    with pytest.warns(ContractWarning, match=r'^1 pending interaction failed \(not counted as failures\): "later"\.'):
        verifier.verify()

    async def run():
        await verifier.verify_async()

    with pytest.warns(ContractWarning, match="pending") as caught:
        asyncio.run(run())
    assert caught[0].filename == __file__


def test_matchers_can_be_copied():
    made = {"id": match.int(7), "more": [match.str("x") | match.int(1)], "unset": UNSET}
    for same in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), copy.copy(made)):
        assert same == made
        assert type(same["id"]) is type(made["id"])
        assert same["unset"] is UNSET


def test_handlers_with_keyword_only_parameters(contracts, tmp_path_factory):
    calls = []
    app = bare_wsgi(Store())
    forms = [
        (lambda **given: calls.append(given), {"state": "an order exists", "action": "setup", "parameters": {"id": 7}}),
        (functools.partial(lambda **given: calls.append(given), more=1), {"more": 1, "state": "an order exists"}),
        (lambda action, **rest: calls.append({"action": action, **rest}), {"action": "setup", "state": "an order exists"}),
    ]
    for handler, expected in forms:
        calls.clear()
        verifier = Verifier("orders").add_source(contracts).add_transport(app=app).state_handler(handler)
        with pytest.raises(VerificationError):
            verifier.filter("a request for an order").verify()
        assert calls[0].items() >= expected.items()

    folder = tmp_path_factory.mktemp("events")
    contract = Contract("web", "orders", directory=folder)
    contract.upon_receiving("an event", "Async").with_body({"id": 7})
    calls.clear()
    contract.verify(lambda **given: calls.append(given), "Async")
    assert (calls[0]["body"], calls[0]["message"].description) == ('{"id":7}', "an event")

    def produced(**given):
        calls.append(given)
        return {"id": 7}

    Verifier("orders").add_source(folder).message_handler({"an event": produced}).verify()
    assert calls[1]["name"] == "an event"


class AsgiObject:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda app: functools.partial(AsgiObject(app)),
        lambda app: functools.partial(functools.partial(app)),
        lambda app: lambda scope, receive, send: app(scope, receive, send),
        lambda app: functools.partial(lambda more, scope, receive, send: app(scope, receive, send), 1),
    ],
    ids=["partial of an object", "partial of a function", "function that returns a coroutine", "partial with an argument"],
)
def test_asgi_applications_in_wrappers(contracts, wrap):
    store = Store()
    verifier = Verifier("orders").add_source(contracts).add_transport(app=wrap(bare_asgi(store))).state_handler(store.states())
    assert verifier.verify().results["summary"]["passed"] == 2


@pytest.mark.parametrize("name", ["flask", "django wsgi", "django asgi"])
def test_exceptions_handled_by_frameworks_are_the_cause(contracts, name):
    app = APPS[name](Store())
    verifier = Verifier("orders").add_source(contracts).add_transport(app=app).filter("a request for an order")
    verifier.state_handler(lambda *_: None)
    for _ in range(2):
        with pytest.raises(VerificationError) as caught:
            verifier.verify()
        assert isinstance(caught.value.__cause__, KeyError)
        assert frames_of(caught.value.__cause__)[-1] == "order"


def test_a_group_of_one_exception_is_shown_as_that_exception(contracts):
    class Group(Exception):
        exceptions = (LookupError("no database"),)

    def fails(**_):
        raise Group("unhandled errors in a TaskGroup (1 sub-exception)")

    store = Store()
    store.orders[7] = "open"
    verifier = Verifier("orders").add_source(contracts).add_transport(app=bare_wsgi(store)).state_handler(fails)
    with pytest.raises(VerificationError, match="LookupError: no database"):
        verifier.filter("a request for an order").verify()
