"""Runs the user's coroutine functions, and applies timeouts to asynchronous code."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any

from .errors import ContractError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from typing_extensions import Self

__tracebackhide__ = True

_LOOK = 0.05
"""Interval at which to check whether a coroutine's result is still needed, in seconds."""

_GRACE = 1.0
"""Maximum time that a canceled coroutine may use for its cleanup, in seconds."""


class Late(Exception):
    """A coroutine exceeded its timeout and was canceled."""


async def _awaited(value: Awaitable[Any], goes_on: Callable[[], bool] | None) -> Any:
    if goes_on is None:
        return await value
    import asyncio

    task = asyncio.ensure_future(value)
    try:
        while not task.done():
            await asyncio.wait([task], timeout=_LOOK)
            if not task.done() and not goes_on():
                raise Late
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_GRACE)
    return task.result()


class Awaiter:
    """Returns the return values of functions, and awaits those that are awaitable.

    All functions of a run use the same event loop, so that they can share connection pools and clients. If ``loop`` is passed, it
    is used; it must run in another thread. Otherwise, a new loop is created. It runs in its own thread if this thread already
    runs a loop, or if there are ASGI applications.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Create an awaiter. Its event loop is created on first use."""
        self._given = loop
        self._own: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Return the awaiter."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the loop if the awaiter created it."""
        loop, self._own = self._own, None
        if loop is None:
            return
        import asyncio

        if self._thread is None:
            loop.run_until_complete(_ended(loop))
        else:
            asyncio.run_coroutine_threadsafe(_ended(loop), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
        loop.close()

    def settled(self, value: Any, goes_on: Callable[[], bool] | None = None) -> Any:
        """Return the value, or its result if it is awaitable. The value is canceled as soon as ``goes_on`` returns False.

        :raises Late: if the value was canceled
        """
        if not inspect.isawaitable(value):
            return value
        import asyncio

        if self._given is not None:
            return asyncio.run_coroutine_threadsafe(_awaited(value, goes_on), self._given).result()
        loop = self._loop()
        if self._thread is not None:
            return asyncio.run_coroutine_threadsafe(_awaited(value, goes_on), loop).result()
        return loop.run_until_complete(_awaited(value, goes_on))

    def running_loop(self) -> asyncio.AbstractEventLoop:
        """Return a loop that runs in another thread, for ASGI applications. From now on, functions are awaited on this loop."""
        return self._given or self._loop(in_thread=True)

    def _loop(self, in_thread: bool = False) -> asyncio.AbstractEventLoop:
        if self._own is None:
            import asyncio

            self._own = asyncio.new_event_loop()
            if in_thread or _runs_a_loop():
                self._thread = threading.Thread(target=self._own.run_forever, name="contract-handlers", daemon=True)
                self._thread.start()
        return self._own


def _runs_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def running_loop(call: str, instead: str) -> asyncio.AbstractEventLoop:
    """Return the running asyncio loop of this thread."""
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise ContractError(
            f"{call} requires a running asyncio event loop. With trio, and outside of coroutines, use {instead}.",
            code="ERR_CONTRACT_NO_LOOP",
        ) from None


async def in_thread(work: Callable[[], Any], stop: Callable[[], None]) -> Any:
    """Run ``work`` in a separate thread and return its result.

    If this coroutine is canceled, ``stop`` is called, and the thread has one second for its cleanup. If the thread is executing
    one of the user's functions, the thread is left running, because functions cannot be interrupted.
    """
    import asyncio
    import contextvars

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    # Retrieve the exception even if the coroutine was canceled.
    done.add_done_callback(lambda done: done.cancelled() or done.exception())
    context = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def run() -> None:
        value, raised = None, None
        try:
            value = context.run(work)
        except BaseException as error:
            raised = error
        with contextlib.suppress(RuntimeError):
            # The loop may already be closed.
            loop.call_soon_threadsafe(settle, value, raised)

    thread = threading.Thread(target=run, name="contract-verification", daemon=True)
    thread.start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        stop()
        await asyncio.wait([done], timeout=_GRACE)
        raise
    finally:
        if done.done():
            # The work is done, so this does not block.
            thread.join()


async def _ended(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the remaining tasks of a loop, for example after Ctrl-C."""
    import asyncio

    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_GRACE)
    await loop.shutdown_asyncgens()


class BlockLimit:
    """Cancels the task that is running an asynchronous block after a timeout in milliseconds. 0 disables the timeout."""

    def __init__(self, milliseconds: int) -> None:
        """Start the timer."""
        import asyncio

        self._passed = False
        self._seconds = milliseconds / 1000
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._before = _cancelling(self._task)
        self._timer: asyncio.TimerHandle | None = None
        self._wait()

    def _wait(self) -> None:
        if self._seconds and self._task is not None:
            self._timer = self._loop.call_later(self._seconds, self._pass)

    def _pass(self) -> None:
        if is_debugged():
            self._wait()
        elif self._task is not None:
            self._passed = True
            self._task.cancel()

    def end(self, error: BaseException | None) -> bool:
        """Stop the timer. Return True if the block ended because of the timeout."""
        import asyncio

        if self._timer is not None:
            self._timer.cancel()
        if not self._passed:
            return False
        uncancel = getattr(self._task, "uncancel", None)
        # If the task was also canceled by other code, the timeout is not the reason.
        is_ours = uncancel is None or uncancel() <= self._before
        return is_ours and (error is None or isinstance(error, asyncio.CancelledError))


def _cancelling(task: asyncio.Task[Any] | None) -> int:
    asked = getattr(task, "cancelling", None)
    return asked() if asked is not None else 0


def is_debugged() -> bool:
    """Return whether a debugger is tracing this thread."""
    module = getattr(sys.gettrace(), "__module__", None) or ""
    return module.partition(".")[0] in ("bdb", "pdb", "pydevd", "debugpy", "_pydevd_bundle", "_pydevd_frame_eval")
