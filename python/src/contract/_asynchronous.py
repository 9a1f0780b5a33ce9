"""Functions of the user's that may be coroutine functions."""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

    from typing_extensions import Self


async def _await(value: Awaitable[Any]) -> Any:
    return await value


class Awaiter:
    """Waits for what functions gave, if it is awaitable.

    All of one run are awaited on one event loop, so that pools and clients made in one handler work in the next: that of
    ``loop``, when there is one, which must be another thread's; else one of their own, in a thread of its own when this thread
    runs a loop already.
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
            loop.run_until_complete(loop.shutdown_asyncgens())
        else:
            asyncio.run_coroutine_threadsafe(loop.shutdown_asyncgens(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
        loop.close()

    def settled(self, value: Any) -> Any:
        """Give the value, awaited if it has to be."""
        if not inspect.isawaitable(value):
            return value
        import asyncio

        if self._given is not None:
            return asyncio.run_coroutine_threadsafe(_await(value), self._given).result()
        loop = self._loop()
        if self._thread is not None:
            return asyncio.run_coroutine_threadsafe(_await(value), loop).result()
        return loop.run_until_complete(_await(value))

    def _loop(self) -> asyncio.AbstractEventLoop:
        if self._own is None:
            import asyncio

            self._own = asyncio.new_event_loop()
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                pass
            else:
                self._thread = threading.Thread(target=self._own.run_forever, name="contract-handlers", daemon=True)
                self._thread.start()
        return self._own
