"""Timeouts of blocks and handlers, and their effects."""

import asyncio
import bdb
import json
import re
import sys
import time

import pytest

from contract import Contract, MessageVerificationError, MismatchesError, ServeTimeoutError, Verifier, serve_all
from support import request


def defined(directory=None, **options):
    contract = Contract("web", "slow", directory=directory, **options)
    contract.upon_receiving("x").with_request("GET", "/x").will_respond_with(200)
    return contract


def test_an_asynchronous_block_is_canceled_after_the_timeout(tmp_path):
    contract = defined(tmp_path)
    ended = []

    async def block():
        async with contract.serve(timeout=1000) as server:
            await asyncio.get_running_loop().run_in_executor(None, request, f"{server.url}/x")
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(True)

    with pytest.raises(ServeTimeoutError) as caught:
        asyncio.run(block())
    error = caught.value
    assert isinstance(error, TimeoutError)
    assert isinstance(error, RuntimeError)
    assert (error.code, error.timeout, ended) == ("ERR_CONTRACT_TIMEOUT", 1000, [True])
    assert re.match(
        r"The block of serve at .*test_limits\.py:\d+ did not finish within 1 s\. The last request, GET /x, was received", str(error)
    )
    assert "timeout=20000" in str(error)
    assert "GET /x" in error.logs
    assert list(tmp_path.iterdir()) == []

    async def good():
        async with contract.serve(all=True, timeout=20_000) as server:
            await asyncio.get_running_loop().run_in_executor(None, request, f"{server.url}/x")
        # The timeout leaves no cancellation in the task.
        await asyncio.sleep(0)

    asyncio.run(good())
    assert (tmp_path / "web-slow.json").exists()


def test_mismatches_take_precedence_over_the_timeout():
    async def block():
        async with defined().serve(timeout=1000) as server:
            await asyncio.get_running_loop().run_in_executor(None, request, f"{server.url}/y")
            await asyncio.Event().wait()

    with pytest.raises(MismatchesError, match="GET /y") as caught:
        asyncio.run(block())
    assert isinstance(caught.value.__cause__, ServeTimeoutError)


def test_other_cancellations_are_not_replaced():
    async def block(reached):
        async with defined().serve(timeout=20_000):
            reached.set()
            await asyncio.Event().wait()

    async def run():
        reached = asyncio.Event()
        task = asyncio.ensure_future(block(reached))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_an_error_of_the_block_is_not_replaced():
    async def block():
        async with defined().serve(timeout=20_000):
            raise ValueError("own")

    with pytest.raises(ValueError, match="own"):
        asyncio.run(block())


def test_a_plain_block_fails_at_its_end(tmp_path):
    for contract, options in ((defined(tmp_path), {"timeout": 1}), (defined(tmp_path, timeout=1), {})):
        with pytest.raises(ServeTimeoutError, match=r"did not finish within 0\.001 s"):
            with contract.serve(**options) as server:
                request(f"{server.url}/x")
                time.sleep(0.002)
        with pytest.raises(ServeTimeoutError):
            with serve_all(contract, all=True, **options) as (server,):
                request(f"{server.url}/x")
                time.sleep(0.002)
        # The error of the block is reported.
        with pytest.raises(ZeroDivisionError):
            with contract.serve(all=True, **options) as server:
                time.sleep(0.002)
                raise ZeroDivisionError
        assert list(tmp_path.iterdir()) == []
    with contract.serve(all=True, timeout=0) as server:
        request(f"{server.url}/x")
        time.sleep(0.002)
    assert (tmp_path / "web-slow.json").exists()
    for wrong in (-1, 1.5, "soon", True):
        with pytest.raises(ValueError, match="timeout"):
            defined().serve(timeout=wrong).start()
        with pytest.raises(ValueError, match="timeout"):
            Contract("web", "slow", timeout=wrong)


class Debugger(bdb.Bdb):
    """A debugger that installs a trace function and never stops."""


def test_no_timeout_in_a_debugger():
    from contract._asynchronous import is_debugged

    assert not is_debugged()
    before = sys.gettrace()
    debugger = Debugger()
    debugger.reset()
    sys.settrace(debugger.trace_dispatch)
    try:
        found = is_debugged()
    finally:
        sys.settrace(before)
    assert found


def message():
    contract = Contract("web", "events")
    contract.upon_receiving("an event", "Async").with_body({"id": 7})
    return contract


def test_coroutine_handlers_are_canceled():
    contract = message()
    ended = []

    async def never(body, metadata):
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(json.loads(body))

    with pytest.raises(MessageVerificationError, match=r"did not finish within 50 ms; to allow more time, set timeout=10000") as caught:
        contract.verify(never, "Async", timeout=50)
    (error,) = caught.value.errors
    assert (error.code, error.__cause__, ended) == ("ERR_CONTRACT_MESSAGE_TIMEOUT", None, [{"id": 7}])

    async def own(body, metadata):
        raise asyncio.TimeoutError("own")

    with pytest.raises(MessageVerificationError, match="own") as caught:
        contract.verify(own, "Async", all=True)
    assert isinstance(caught.value.__cause__, asyncio.TimeoutError)

    async def good(body, metadata):
        await asyncio.sleep(0)

    assert contract.verify(good, "Async", all=True) == []


def test_plain_handlers_fail_when_they_return():
    contract = message()
    with pytest.raises(MessageVerificationError, match="within 1 ms"):
        contract.verify(lambda body, metadata: time.sleep(0.002), "Async", timeout=1)
    assert contract.verify(lambda body, metadata: None, "Async", all=True, timeout=20_000) == []
    with pytest.raises(ValueError, match="timeout"):
        contract.verify(lambda body, metadata: None, "Async", all=True, timeout=-1)


@pytest.mark.parametrize("form", ["verify", "verify_async"])
def test_abandoned_coroutines_are_canceled(tmp_path, form):
    contract = defined()
    contract.upon_receiving("y").given("slow").with_request("GET", "/y").will_respond_with(200)
    contract.write_file(tmp_path)
    ended = []

    async def never():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    def app(environ, start_response):
        start_response("200 OK", [])
        return []

    verifier = Verifier("slow").add_source(tmp_path).add_transport(app=app).set_callback_timeout(50)
    verifier.state_handler({"slow": never})
    with pytest.raises(Exception, match=r"slow.*50 ms|50 ms"):
        if form == "verify":
            verifier.verify()
        else:
            asyncio.run(verifier.verify_async())
    assert ended == [True]
    statuses = {one["description"]: one["status"] for one in verifier.results["contracts"][0]["interactions"]}
    assert statuses == {"x": "passed", "y": "failed"}
