"""Uses the whole API in strict mode of both type checkers, with mistakes that they must find. It is not run."""

from __future__ import annotations

import contract_ffi
from contract import (
    AsyncMessageInteraction,
    Contract,
    HttpInteraction,
    Matcher,
    Message,
    MessageRequest,
    MismatchesError,
    Request,
    RequestContext,
    SyncMessageInteraction,
    VerificationError,
    Verifier,
    body_handler,
    example,
    generate,
    match,
    serve_all,
    xml,
)
from contract.types import Mismatch, PluginOptions, ServerLimits, ServerMismatch, StateAction, VerificationReport


def consumer() -> None:
    contract = Contract("web", "users", directory="contracts", seed=7)
    http: HttpInteraction = contract.upon_receiving("a request")
    number: Matcher[int] = match.int(7, min=1, max=9)
    texts: Matcher[list[str]] = match.each_like("new", min=2)
    http.given("a user", name="id", value=7).given("a user", parameters={"id": 7})
    http.with_request("POST", match.regex("/users/7", regex=r"/users/\d+"))
    http.with_header("X-Id", match.int(7)).with_headers([("A", "b"), ("A", "c")]).with_query_parameter("page", "1")
    http.with_headers({"A": "b", "C": match.str("x")}).with_headers({"A": ["b", match.int(7)]})
    http.with_headers([("A", "b"), ("C", match.str("x"))])
    http.with_query_parameters({"page": 1, "of": match.int(7), "all": None, "tags": ["a", match.str("x")]})
    http.with_query_parameters([("page", 1), ("of", match.int(7))])
    http.with_request("GET", "/", query={"page": 1, "of": match.int(7)}, headers={"A": "b", "C": match.str("x")})
    http.will_respond_with(200, headers={"A": "b", "C": match.str("x")})
    http.with_form_body({"a": "b", "c": match.str("x")}).set_headers({"A": "b"})
    http.with_body({"id": number, "tags": texts, "at": match.datetime()}, content_type="application/json")
    http.will_respond_with(match.status("success")).with_body({"id": generate.uuid()}, part="Response")
    with contract.serve(host="127.0.0.1", port=0) as server:
        url: str = server.url
        port: int | None = server.port
        print(url, port, server / "users", server.matched, server.mismatches[0]["type"])
    try:
        with http.serve(raises=True):
            pass
    except MismatchesError as error:
        print(error.code, error.mismatches[0]["type"], error.format(color=True))
    contract.write_file("contracts")
    with serve_all(contract, contract) as (one, two):
        print(one.url, two.url)
    print(example({"id": match.int(7)}), xml.element("a", match.str("x"), attrs={"b": 1}).each(min=2))


def messages() -> None:
    contract = Contract("web", "orders")
    event: AsyncMessageInteraction = contract.upon_receiving("an event", "Async")
    event.with_body({"id": match.int(7)}).with_metadata({"topic": "orders"}, key="7")
    question: SyncMessageInteraction = contract.upon_receiving("a question", "Sync")
    question.with_body("?").will_respond_with().with_body("!")

    def handler(body: str | bytes | None, metadata: dict[str, object]) -> None:
        print(body, metadata)

    async def asking(body: str | bytes | None, metadata: dict[str, object], message: Message) -> str:
        return message.description

    contract.verify(handler, "Async")
    contract.verify(asking, "Sync")
    contract.verify(body_handler(print), kind="Async", raises=False)


async def provider() -> None:
    def state(state: str, action: StateAction, parameters: dict[str, object] | None) -> None:
        print(state, action, parameters)

    async def user(action: StateAction, parameters: dict[str, object] | None) -> dict[str, object]:
        return {"id": 7}

    def nobody(parameters: dict[str, object] | None) -> None:
        print(parameters)

    def authorize(request: Request, context: RequestContext) -> None:
        request.headers["Authorization"] = f"Bearer {context.state_values['token']}"

    def order(request: MessageRequest) -> dict[str, object]:
        return {"contents": {"id": 7}, "content_type": "application/json"}

    verifier = (
        Verifier("users")
        .add_source("contracts")
        .add_transport(url="http://127.0.0.1:8080")
        .state_handler(state, teardown=True)
        .message_handler({"an order": order})
        .request_filter(authorize)
        .add_custom_headers({"X-Id": "7"})
        .filter("a request", state="a user")
        .filter_consumers("web", "app")
    )
    verifier.state_handler({"a user": user, "nobody": {"setup": nobody}})
    names: list[str] = []
    verifier.state_handler({"a user": lambda action, parameters: names.append(action)})
    verifier.state_handler({"a user": lambda action, parameters: None, "nobody": lambda: None})
    verifier.state_handler({"a user": {"setup": lambda parameters: {"id": 7}, "teardown": lambda parameters: None}})
    verifier.state_handler({"a user": {"setup": lambda: None}, "others": user})
    verifier.state_handler(lambda state, action, parameters: names.append(state))
    verifier.state_handler(lambda state, action: {"id": 7})
    verifier.before_each(lambda interaction: names.append(interaction.description))
    verifier.after_each(lambda interaction, result: names.append(str(result)))
    verifier.request_filter(lambda request, context: request)
    verifier.message_handler({"an order": lambda: {"id": 7}})
    try:
        results: VerificationReport | None = verifier.verify().results
        await verifier.verify_async(exit_first=True)
        print(results and results["summary"]["passed"])
    except VerificationError as error:
        print(error.report["contracts"][0]["interactions"][0]["status"])
    for one in verifier.interactions():
        one.verify()
    contract_ffi.log_to_stderr("INFO")


def data(mismatch: ServerMismatch, report: VerificationReport) -> None:
    differences: list[Mismatch] = []
    if mismatch["type"] == "plugin-mismatch":
        differences = mismatch["mismatches"]
        print(mismatch["plugin"], mismatch.get("error", ""))
    elif mismatch["type"] == "missing-request":
        print(mismatch["interaction"]["description"], mismatch["request"]["headers"]["Accept"])
    elif mismatch["type"] == "times-mismatch" and mismatch["max"] is not None:
        print(mismatch["max"] - mismatch["actual"])
    print([one["place"] for one in differences if one["type"] == "BodyMismatch"])
    for contract in report["contracts"]:
        print(contract.get("origin", {}).get("selection"), [one["text"] for one in contract.get("notices", [])])
    limits: ServerLimits = {"body_size": 1024}
    plugins: PluginOptions = {"directories": ["plugins"]}
    with Contract("web", "users", plugins=plugins).serve(limits=limits, raises=False) as server:
        print(server.mismatches)


def mistakes(mismatch: ServerMismatch) -> None:
    contract = Contract("web", "users")
    contract.upon_receiving("x", "HTTPS")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    contract.upon_receiving("x", "Async").with_header("a", "b")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    contract.upon_receiving("x").given("a", nam="b")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    contract.upon_receiving("x").with_body("a", part="Answer")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wrong: Matcher[str] = match.int(7)  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    print(wrong)
    print(mismatch["plugin"])  # type: ignore[typeddict-item]
    print(mismatch["type"] == "not-found")  # type: ignore[comparison-overlap]  # pyright: ignore[reportUnnecessaryComparison]
