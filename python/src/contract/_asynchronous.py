"""Functions of the user's that may be coroutine functions, and limits of time for what is asynchronous."""

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
"""Seconds between two looks at whether a coroutine is still waited for."""

_GRACE = 1.0
"""Seconds that a coroutine has for its end after it was cancelled."""


class Late(Exception):
    """A coroutine that was not done in time, and was cancelled."""


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
    """Waits for what functions gave, if it is awaitable.

    All of one run are awaited on one event loop, so that pools and clients made in one handler work in the next: ``loop``, if
    given, which must run in another thread; else a loop of their own. That loop runs in its own thread if this thread already
    runs a loop, or if ASGI applications share it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Make no loop yet."""
        self._given = loop
        self._own: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the loop, if there is one of its own."""
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
        """Give the value, awaited if it has to be; when ``goes_on`` says no meanwhile, it is cancelled.

        :raises Late: when it was cancelled
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
        """Return a loop that runs in another thread, for ASGI applications. Functions are awaited on it from now on."""
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
    """Return the loop of asyncio that runs in this thread."""
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise ContractError(
            f"{call} needs a running event loop of asyncio. Under trio, and outside of coroutines, use {instead}.",
            code="ERR_CONTRACT_NO_LOOP",
        ) from None


async def in_thread(work: Callable[[], Any], stop: Callable[[], None]) -> Any:
    """Return what ``work`` returns, which runs in a thread of its own.

    If this coroutine is cancelled, ``stop`` is called and the thread has a second for its clean-up. A thread that is in a
    function of the user's then is left behind: no function can be ended from outside.
    """
    import asyncio
    import contextvars

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    # Nobody may be left to look at the exception.
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
            # The loop may be closed by now.
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
            # It has done its work: this takes no time.
            thread.join()


async def _ended(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left on a loop that ends, as after Ctrl-C."""
    import asyncio

    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_GRACE)
    await loop.shutdown_asyncgens()


class BlockLimit:
    """Cancels the task that entered an asynchronous block when that has taken too long. Zero is without end."""

    def __init__(self, milliseconds: int) -> None:
        """Begin to count."""
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
        """Whether the block ended because its time was over."""
        import asyncio

        if self._timer is not None:
            self._timer.cancel()
        if not self._passed:
            return False
        uncancel = getattr(self._task, "uncancel", None)
        # Somebody else may have cancelled the task as well; then it is no more this limit that counts.
        is_ours = uncancel is None or uncancel() <= self._before
        return is_ours and (error is None or isinstance(error, asyncio.CancelledError))


def _cancelling(task: asyncio.Task[Any] | None) -> int:
    asked = getattr(task, "cancelling", None)
    return asked() if asked is not None else 0


def is_debugged() -> bool:
    """Whether a debugger follows this thread: people take their time."""
    module = getattr(sys.gettrace(), "__module__", None) or ""
    return module.partition(".")[0] in ("bdb", "pdb", "pydevd", "debugpy", "_pydevd_bundle", "_pydevd_frame_eval")
