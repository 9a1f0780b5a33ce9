"""Replays contracts against a real provider."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from . import _native
from ._asynchronous import Awaiter, in_thread, running_loop
from ._call import UNSET, given, pairs_data, warn
from ._functions import Functions
from .broker import BrokerSelectorBuilder
from .errors import ContractArgumentError, VerificationError, distinct, together
from .message import envelope

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ._apps import RunningApp
    from ._native import NativeStop, NativeVerified, Unset
    from .types import (
        AfterFunction,
        BeforeFunction,
        FilterFunction,
        Json,
        MessageFunction,
        Pairs,
        StateFunction,
        StateMapping,
        VerificationReport,
    )

__all__ = ["ListedInteraction", "Verifier"]

__tracebackhide__ = True

_SHOWN = 5
"""Pending interactions that a warning names."""


@dataclass(frozen=True)
class ListedInteraction:
    """An interaction that ``Verifier.interactions`` lists. Its text is its title."""

    verifier: Verifier
    index: int
    """Its place in the list."""
    group: str
    """The title of its contract: ``honors the contract with CONSUMER``."""
    title: str
    """Its own title: description and states. None stands twice in a group."""

    def verify(self) -> None:
        """Verify this interaction alone.

        :raises VerificationError: when the provider does not honour it
        """
        self.verifier._verify_one(self.index)  # pyright: ignore[reportPrivateUsage]

    def __str__(self) -> str:
        """Give the title."""
        return self.title


class Verifier:
    """Replays contracts against a real provider.

    Every method gives the verifier itself, so that calls can be chained, and refuses what makes no sense at once with a
    ``ContractArgumentError``, which is a ``ValueError`` and a ``TypeError``.

    >>> from contract import Verifier
    >>> (
    ...     Verifier("users")
    ...     .add_source("./contracts")
    ...     .add_transport(url="http://127.0.0.1:8080")
    ...     .state_handler({"user exists": lambda action, parameters: ...}, teardown=True)
    ...     .verify()
    ... )

    :param provider: the provider's name: contracts with it are verified
    :param host: where transports without URL and host are. Default: 127.0.0.1
    """

    def __init__(self, provider: str, host: str | None = None) -> None:
        """Begin a verifier of a provider."""
        self._core = _native.NativeVerification(provider)
        self._provider = provider
        self._host = host
        self._functions = Functions()
        self._apps: list[tuple[Any, str]] = []
        self._is_quiet = False
        self._session: _Session | None = None
        self._brokers = 0

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self._provider

    def __repr__(self) -> str:
        """Name the provider."""
        return f"Verifier({self._provider!r})"

    def _say(self, operation: str, arguments: Mapping[str, object]) -> Self:
        self._said(operation, arguments)
        return self

    def _said(self, operation: str, arguments: Mapping[str, object]) -> bool:
        kept = self._functions.kept
        before = len(kept)
        try:
            return self._core.say(operation, dict(arguments), kept)
        except BaseException:
            # The functions of what is refused are forgotten.
            del kept[before:]
            raise

    def add_source(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any],
        *,
        username: str | None = None,
        password: str | None = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Add contracts to verify. Those of other providers are left out.

        :param source: a file, a directory with all that is below it, a pattern such as ``contracts/**/*-users.json``, an http or
            https URL, or a contract at hand: ``{"json": …}`` with its text or its content
        :param username: with ``password``, opens a URL
        :param token: instead of both, opens a URL
        :param headers: more headers for the request to a URL
        :raises ValueError: a path that does not exist, credentials twice, or both kinds of them
        """
        options = given({"username": username, "password": password, "token": token, "headers": headers})
        return self._say("add_source", {"source": source, "options": options})

    @overload
    def broker_source(
        self,
        url: str | None | Unset = ...,
        username: str | None | Unset = ...,
        password: str | None | Unset = ...,
        token: str | None | Unset = ...,
        selector: Literal[False] = ...,
        *,
        use_env: bool = ...,
        headers: Mapping[str, str] | None = ...,
        timeout: int | None = ...,
    ) -> Self: ...
    @overload
    def broker_source(
        self,
        url: str | None | Unset = ...,
        username: str | None | Unset = ...,
        password: str | None | Unset = ...,
        token: str | None | Unset = ...,
        *,
        selector: Literal[True],
        use_env: bool = ...,
        headers: Mapping[str, str] | None = ...,
        timeout: int | None = ...,
    ) -> BrokerSelectorBuilder: ...
    def broker_source(
        self,
        url: str | None | Unset = UNSET,
        username: str | None | Unset = UNSET,
        password: str | None | Unset = UNSET,
        token: str | None | Unset = UNSET,
        selector: bool = False,
        *,
        use_env: bool = True,
        headers: Mapping[str, str] | None = None,
        timeout: int | None = None,
    ) -> Self | BrokerSelectorBuilder:
        """Ask a broker for the contracts of the provider; a repeated call replaces.

        What is not given comes from the environment, as ``CONTRACT_BROKER_BASE_URL``, ``CONTRACT_BROKER_USERNAME``,
        ``CONTRACT_BROKER_PASSWORD`` and ``CONTRACT_BROKER_TOKEN``, or behind them from the same names with ``PACT_BROKER_``;
        credentials of one kind silence those of the other there. ``None`` is not looked for there.

        :param url: its base URL; may hold ``user:password@``
        :param username: with ``password``, for basic authentication
        :param token: for bearer authentication, instead of both
        :param selector: True begins a builder of what is chosen, which must be finished with ``build()``; else the broker
            chooses what is on main branches, deployed or released
        :param use_env: whether the environment is looked at
        :param headers: more headers for each request to the broker
        :param timeout: how long one request to the broker may take, in milliseconds. Default: 60000
        :raises ValueError: credentials of both kinds, or twice
        """
        options: dict[str, object] = given({"headers": headers, "timeout": timeout})
        options |= {"url": url, "username": username, "password": password, "token": token}
        options |= {"use_env": use_env, "selector": selector}
        self._say("broker_source", {"options": options})
        self._brokers += 1
        if not selector:
            return self
        source = self._brokers
        return BrokerSelectorBuilder(
            self, lambda call, arguments: self._say("select", {"source": source, "call": {call: dict(arguments)}})
        )

    def set_publish_options(
        self,
        version: str,
        branch: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        build_url: str | None = None,
    ) -> Self:
        """Publish the result of each contract that a broker gave, as that of a version of the provider.

        The version is put on its branch and gets its tags first. Results of contracts in files are not published; what cannot be
        published fails the verification. ``CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS=false`` keeps a run from publishing.

        :param version: the provider's version, such as a commit
        :param branch: its branch; contracts are selected for it, too, unless a selector says otherwise, and the other way round
        :param tags: its tags
        :param build_url: the page of the build
        :raises ValueError: a version that is empty, or a filter: part of a contract is no result
        """
        options = given({"version": version, "branch": branch, "tags": tags, "build_url": build_url})
        return self._say("set_publish_options", {"options": options})

    def add_transport(
        self,
        url: str | None = None,
        *,
        protocol: str | None = None,
        host: str | None = None,
        port: int | None = None,
        path: str | None = None,
        scheme: str | None = None,
        app: Any = None,
        interface: Literal["wsgi", "asgi"] | None = None,
    ) -> Self:
        """Add a way to reach the provider: its base URL, the parts of one, or the application itself.

        :param url: the base URL; excludes the parts below
        :param protocol: the name that interactions know the transport by. Default: ``http``
        :param host: default: that of the verifier
        :param port: default: that of the scheme
        :param path: put in front of every path
        :param scheme: ``http`` (default) or ``https``
        :param app: a WSGI or ASGI application, such as an app of Flask, Django, FastAPI or Starlette; it listens on a free port
            of 127.0.0.1 while a verification runs, in a thread of its own
        :param interface: ``wsgi`` or ``asgi``, where that cannot be told from ``app``
        :raises ValueError: arguments that exclude each other, or none
        """
        parts = given(
            {"url": url, "protocol": protocol, "host": host, "port": port, "path": path, "scheme": scheme}
        )
        if app is None and not parts:
            raise ContractArgumentError(
                "add_transport: give a url, the parts of one, or an app",
                code="ERR_CONTRACT_OPTIONS",
                operation="add_transport",
            )
        if app is not None:
            from ._apps import kind_of

            kind = kind_of(app, interface)
            if self._said("add_transport", {"transport": {**parts, "app": True}}):
                self._apps.append((app, kind))
            return self
        if url is not None and len(parts) == 1:
            return self._say("add_transport", {"transport": url})
        if url is None and host is None and self._host is not None:
            parts["host"] = self._host
        return self._say("add_transport", {"transport": parts})

    def message_handler(
        self, handler: MessageFunction | Mapping[str, Any], *, timeout: int | None = None
    ) -> Self:
        """Say who makes the messages that contracts expect, in this process.

        :param handler: functions or messages by description, or one function for all that have none of their own; repeated
            calls add up. A function of one parameter with another name gets a :class:`~contract.MessageRequest`; else it
            is called with those of ``name`` (the description), ``metadata``, ``provider_states`` and ``state_values`` that it
            names. It may be a coroutine function. A message is a value that JSON can
            hold, a text, bytes, or a mapping of ``contents`` with ``content_type`` and ``metadata``
        :param timeout: how long a handler may take, in milliseconds. Default: 30000
        :raises TypeError: what is no function and no mapping
        """
        from collections.abc import Mapping

        handlers: object = handler
        if isinstance(handler, Mapping):
            handlers = {name: envelope(value) for name, value in cast("Mapping[str, object]", handler).items()}
        return self._say("message_handler", {"handlers": handlers, "options": given({"timeout": timeout})})

    def state_handler(
        self,
        handler: StateFunction | StateMapping | str,
        *,
        teardown: bool = False,
        body: bool | None = None,
        headers: Mapping[str, str] | None = None,
        on_missing: Literal["error", "warn", "ignore"] | None = None,
        empty_state: bool | None = None,
    ) -> Self:
        """Say who brings the provider into the states that interactions need.

        Functions run in this process, on the thread that called ``verify``, and may be coroutine functions. A mapping of values
        that they return feeds generators and request filters. What they raise fails the interaction, and is the
        ``__cause__`` of the error.

        :param handler: a function ``handler(state, action, parameters)`` for all states; a mapping from states to functions of
            ``(action, parameters)``, or to mappings of ``setup`` and ``teardown`` to functions of ``(parameters)``; or the URL
            of the provider that states are sent to by POST. ``action`` is ``setup`` or ``teardown``; ``parameters`` is a
            mapping, or None when the state has none. Mappings may be given in several calls
        :param teardown: whether states are torn down. Default: False; mappings with a ``teardown`` of their own always are
        :param body: for a URL, and only there, must be given: whether state, action and parameters are the body of the request,
            or in its query and headers
        :param headers: for a URL: headers of the request
        :param on_missing: for a mapping: whether an interaction whose state has no handler fails (``error``, default), is
            verified with a warning, or is just verified
        :param empty_state: for a function: whether it is called for interactions without states, with an empty name. Default:
            False
        :raises ValueError: arguments that do not fit the form of the handler
        :raises TypeError: a handler that is none
        """
        options = given(
            {
                "teardown": teardown or None,
                "body": body,
                "headers": headers,
                "on_missing": on_missing,
                "empty_state": empty_state,
            }
        )
        return self._say("state_handler", {"handler": handler, "options": options})

    def filter(
        self,
        description: str | re.Pattern[str] | None = None,
        *,
        state: str | re.Pattern[str] | None = None,
        no_state: bool = False,
        id: str | None = None,
        kind: Literal["HTTP", "Async", "Sync"] | None = None,
    ) -> Self:
        """Verify only interactions for which all of this holds; a repeated call replaces.

        :param description: a regular expression that is found anywhere in the description
        :param state: a regular expression that is found anywhere in the name of a state
        :param no_state: only interactions without states
        :param id: a key, a broker's id, or a fingerprint of a report
        :param kind: interactions of this kind
        """
        chosen = given(
            {"description": description, "state": state, "no_state": no_state or None, "id": id, "kind": kind}
        )
        return self._say("filter", {"filter": chosen})

    def filter_consumers(self, *names: str) -> Self:
        """Verify only contracts of these consumers; none means all. A repeated call replaces."""
        return self._say("filter_consumers", {"names": list(names)})

    def add_custom_header(self, name: str, value: str | Callable[[], Any]) -> Self:
        """Add a header to every request to the provider; it replaces that of the contract. A function makes it afresh."""
        return self._say("add_custom_header", {"name": name, "value": value})

    def add_custom_headers(
        self, headers: Mapping[str, str | Callable[[], Any]] | Pairs[str | Callable[[], Any]]
    ) -> Self:
        """Add headers to every request to the provider: a mapping, or pairs."""
        return self._say("add_custom_headers", {"headers": pairs_data(headers)})

    def request_filter(self, filter: FilterFunction) -> Self:
        """Change each request before it is sent: ``filter(request, context)``.

        It assigns to the :class:`~contract.Request`, or gives another one; ``context`` has the interaction
        and the values of its states. It may be a coroutine function. Several run in the order in which they were added.
        """
        return self._say("request_filter", {"filter": filter})

    def before_each(self, hook: BeforeFunction) -> Self:
        """Call ``hook(interaction)`` before each interaction. What it raises fails the interaction."""
        return self._say("before_each", {"hook": hook})

    def after_each(self, hook: AfterFunction) -> Self:
        """Call ``hook(interaction, result)`` after each interaction. What it raises fails the interaction."""
        return self._say("after_each", {"hook": hook})

    def set_request_timeout(self, timeout: int) -> Self:
        """Set how long one request may take, in milliseconds, from connecting to the last byte. Default: 5000."""
        return self._say("set_request_timeout", {"milliseconds": timeout})

    def set_callback_timeout(self, timeout: int) -> Self:
        """Set how long one call of a function of yours may take, in milliseconds. Default: 30000.

        The interaction fails then; the function itself cannot be ended.
        """
        return self._say("set_callback_timeout", {"milliseconds": timeout})

    def set_body_limit(self, limit: int) -> Self:
        """Set the most bytes of an answer, decompressed. Default: 64 MiB."""
        return self._say("set_body_limit", {"bytes": limit})

    def set_generated_size(self, size: int) -> Self:
        """Set the most bytes that generators make for one request or message. Default: 64 MiB."""
        return self._say("set_generated_size", {"bytes": size})

    def set_pattern_size(self, size: int) -> Self:
        """Set the most bytes that the regular expressions of one response or message take, compiled. Default: 256 MiB."""
        return self._say("set_pattern_size", {"bytes": size})

    def set_directory_limit(self, count: int) -> Self:
        """Set the most directories that one source leads through. Default: 100000."""
        return self._say("set_directory_limit", {"count": count})

    def set_source_limit(self, limit: int) -> Self:
        """Set the most bytes of one contract. Default: 64 MiB."""
        return self._say("set_source_limit", {"bytes": limit})

    def set_total_source_limit(self, limit: int) -> Self:
        """Set the maximum size of all contracts of one verification, in bytes. Default: 512 MiB."""
        return self._say("set_total_source_limit", {"bytes": limit})

    def tls(
        self,
        *,
        ca: str | bytes | Sequence[str | bytes] | None = None,
        cert: str | bytes | None = None,
        key: str | bytes | None = None,
    ) -> Self:
        """Set certificates in PEM, for the provider, its state URL and contracts behind URLs.

        :param ca: authorities to trust besides the system's
        :param cert: the certificate to show when the provider asks for one
        :param key: its key, not encrypted
        """
        return self._say("tls", given({"ca": ca, "cert": cert, "key": key}))

    def disable_ssl_verification(self, disabled: bool = True) -> Self:
        """Accept any certificate."""
        return self._say("disable_ssl_verification", {"disabled": disabled})

    def set_http_version(self, version: Literal["1.1", "2"]) -> Self:
        """Speak this version of HTTP only. Default: 1.1, and 2 where TLS negotiates it."""
        return self._say("set_http_version", {"version": version})

    def set_plugins(
        self,
        directories: Sequence[str | os.PathLike[str]] | None = None,
        *,
        start_timeout: int | None = None,
        timeout: int | None = None,
    ) -> Self:
        """Say where the plugins are that contracts name, and how long they are waited for.

        :param directories: default: those of CONTRACT_PLUGIN_DIR, else of PACT_PLUGIN_DIR, else ``.pact/plugins`` in the home
        :param start_timeout: milliseconds that one may take to start. Default: 60000
        :param timeout: milliseconds that one may take for an answer. Default: 30000
        """
        options = {"directories": directories, "start_timeout": start_timeout, "timeout": timeout}
        return self._say("set_plugins", given(options))

    def set_error_on_empty_contract(self, enabled: bool = True) -> Self:
        """Say whether it is an error that there is nothing to verify for this provider. Default: True."""
        return self._say("set_error_on_empty_contract", {"enabled": enabled})

    def set_error_on_empty_pact(self, enabled: bool = True) -> Self:
        """Do the same as ``set_error_on_empty_contract``."""
        return self.set_error_on_empty_contract(enabled)

    def follow_redirects(self, follow: bool = True, *, credentials: bool = False) -> Self:
        """Say whether redirects of the provider are followed. Default: True.

        To another scheme, host or port, headers that may hold credentials do not go along unless ``credentials``.
        """
        return self._say("follow_redirects", {"follow": follow, "options": {"credentials": credentials}})

    def set_coloured_output(self, enabled: bool = True) -> Self:
        """Say whether texts are coloured. Default: on a terminal."""
        return self._say("set_coloured_output", {"enabled": enabled})

    def set_quiet(self, enabled: bool = True) -> Self:
        """Emit no warnings of a run that passed. Default: False."""
        self._say("set_quiet", {"enabled": enabled})
        self._is_quiet = enabled
        return self

    def set_colored_output(self, enabled: bool = True) -> Self:
        """Do the same as ``set_coloured_output``."""
        return self.set_coloured_output(enabled)

    def verify(
        self,
        *,
        exit_first: bool = False,
        last_failed: bool = False,
        concurrency: int | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Run the verification. Ctrl-C ends it.

        :param exit_first: stops at the first failure; what comes after it is reported as skipped
        :param last_failed: verifies only what failed the last time, if anything did
        :param concurrency: how many interactions without states run at a time. Default: 1
        :param progress: whether the terminal shows how far a long run is. Default: on a terminal, outside of test runners
        :return: the verifier itself; what was found is in ``results``
        :raises VerificationError: when the provider does not honour a contract
        :raises RuntimeError: when there is no transport or no source
        """
        options = _run_options(exit_first, last_failed, concurrency, progress)
        verified, apps = self._run(options, None, _native.NativeStop())
        self._check(verified, apps)
        return self

    async def verify_async(
        self,
        *,
        exit_first: bool = False,
        last_failed: bool = False,
        concurrency: int | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Run the verification without blocking the event loop. Parameters and exceptions are those of ``verify``.

        Coroutine functions among the handlers, and ASGI applications, run on this loop; other functions run on a thread of their
        own. Cancelling the coroutine, such as by ``asyncio.wait_for``, ends the verification at once.
        """
        instead = "verify(), such as `await trio.to_thread.run_sync(verifier.verify)`"
        loop = running_loop("verify_async", instead)
        options = _run_options(exit_first, last_failed, concurrency, progress)
        stop = _native.NativeStop()
        verified, apps = await in_thread(lambda: self._run(options, loop, stop), stop.stop)
        self._check(verified, apps)
        return self

    def _run(
        self, options: dict[str, object], loop: AbstractEventLoop | None, stop: NativeStop
    ) -> tuple[NativeVerified, list[RunningApp]]:
        self._functions.raised.clear()
        with Awaiter(loop) as awaiter:
            apps = self._start_apps(awaiter)
            try:
                dispatch = self._functions.dispatcher(awaiter)
                verified = self._core.run(options, _surroundings(apps), dispatch, self._functions.raised, stop)
            finally:
                _stop_apps(apps)
        return verified, apps

    def _start_apps(self, awaiter: Awaiter) -> list[RunningApp]:
        running: list[RunningApp] = []
        if not self._apps:
            return running
        from ._apps import start_app

        try:
            for app, kind in self._apps:
                running.append(start_app(app, kind, awaiter))
        except BaseException:
            _stop_apps(running)
            raise
        return running

    def _check(self, verified: NativeVerified, apps: Sequence[RunningApp]) -> None:
        report = cast("VerificationReport", json.loads(verified.report))
        if verified.failures is None and not self._is_quiet:
            warn(_warnings_of(report))
        for app in apps:
            warn(app.warnings)
        if verified.failures is None:
            return
        raised = [self._functions.raised.get(token) for *_, token in verified.causes]
        raised += [error for app in apps for error in app.errors]
        causes = distinct(raised) or distinct(app.lifespan_error for app in apps)
        error = VerificationError(
            verified.failures, report, output=verified.text, logs=verified.log, causes=causes
        )
        raise error from together("exceptions of the provider's functions", causes)

    def prepare(self) -> Self:
        """Read all sources now, also those behind URLs: ``interactions`` needs that for them."""
        with Awaiter() as awaiter:
            self._core.prepare(_surroundings(()), self._functions.dispatcher(awaiter), self._functions.raised)
        return self

    def interactions(self) -> list[ListedInteraction]:
        """List the interactions to verify, for one test each.

        The first that is verified starts applications and what else is needed; ``close`` ends it. The pytest plugin of this
        package does both, see ``contract.pytest_plugin``.

        >>> @pytest.mark.parametrize("interaction", verifier.interactions(), ids=str)
        ... def test_contract(interaction):
        ...     interaction.verify()
        """
        listed = self._core.interactions(_surroundings(()))
        return [ListedInteraction(self, index, group, title) for index, (_, group, title) in enumerate(listed)]

    def _verify_one(self, index: int) -> None:
        if self._session is None:
            self._session = _Session(self)
        self._session.verify(index)

    def close(self) -> None:
        """End what verifying interactions one by one has started; ``results`` is then about all of them.

        Results are published now, when that was asked for and all of a contract's interactions were verified.

        :raises VerificationError: when they cannot be published
        """
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def __enter__(self) -> Self:
        """Give the verifier itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    @property
    def results(self) -> VerificationReport | None:
        """What the last run found; None before the first."""
        last = self._core.last()
        return None if last is None else cast("VerificationReport", json.loads(last.report))

    def output(self, *, strip_ansi: bool = False) -> str:
        """Give what the last run has to say to people; empty before the first."""
        last = self._core.last()
        text = "" if last is None else last.text
        return re.sub(r"\x1b\[[0-9;]*m", "", text) if strip_ansi else text

    @property
    def logs(self) -> list[str]:
        """What the core logged in the last run; the last lines of it."""
        last = self._core.last()
        return [] if last is None else last.log

    def write_report(
        self, format: Literal["json", "junit", "markdown", "html", "github"], path: str | os.PathLike[str]
    ) -> None:
        """Write what the last run found to a file: JSON, JUnit's XML, Markdown, HTML or annotations for GitHub."""
        self._core.write_report(format, path)


class _Session:
    """A verification of one interaction after another."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self._awaiter = Awaiter()
        self._apps: list[RunningApp] = []
        try:
            self._apps = verifier._start_apps(self._awaiter)  # pyright: ignore[reportPrivateUsage]
            verifier._core.start(_surroundings(self._apps))  # pyright: ignore[reportPrivateUsage]
        except BaseException:
            _stop_apps(self._apps)
            self._awaiter.__exit__()
            raise

    def verify(self, index: int) -> None:
        verifier = self._verifier
        functions = verifier._functions  # pyright: ignore[reportPrivateUsage]
        for app in self._apps:
            app.errors.clear()
        functions.raised.clear()
        verified = verifier._core.verify_one(index, functions.dispatcher(self._awaiter), functions.raised)  # pyright: ignore[reportPrivateUsage]
        verifier._check(verified, self._apps)  # pyright: ignore[reportPrivateUsage]

    def close(self) -> None:
        verifier = self._verifier
        core = verifier._core  # pyright: ignore[reportPrivateUsage]
        functions = verifier._functions  # pyright: ignore[reportPrivateUsage]
        try:
            finished = core.finish(_surroundings(self._apps), functions.dispatcher(self._awaiter), functions.raised)
            # What interactions failed by, their own tests have said.
            if finished is not None and "error" in json.loads(finished.report).get("publication", {}):
                verifier._check(finished, ())  # pyright: ignore[reportPrivateUsage]
        finally:
            core.close()
            # Applications first: they may run on the loop of the awaiter.
            _stop_apps(self._apps)
            self._awaiter.__exit__()


def _stop_apps(apps: Sequence[RunningApp]) -> None:
    for app in apps:
        app.close()


def _warnings_of(report: VerificationReport) -> list[str]:
    """What a run that passed has to warn about: what the core says, and pending interactions that failed."""
    pending = [
        one["description"]
        for contract in report["contracts"]
        for one in contract["interactions"]
        if one["status"] == "pending"
    ]
    texts = [*report["warnings"]]
    if pending:
        shown = ", ".join(f'"{description}"' for description in pending[:_SHOWN])
        more = f", and {len(pending) - _SHOWN} more" if len(pending) > _SHOWN else ""
        texts.append(
            f"{len(pending)} pending interaction{'s' if len(pending) > 1 else ''} failed (not counted as failures): {shown}{more}. "
            "output() of the verifier shows why."
        )
    return texts


def _run_options(
    exit_first: bool, last_failed: bool, concurrency: int | None, progress: bool | None
) -> dict[str, object]:
    return given(
        {"exit_first": exit_first, "last_failed": last_failed, "concurrency": concurrency, "progress": progress}
    )


def _surroundings(apps: Sequence[RunningApp]) -> str:
    # Under pytest nobody sees how far a verification is, and the terminal is not this one's.
    is_tested = "PYTEST_CURRENT_TEST" in os.environ
    surroundings: dict[str, Json] = {
        "environment": dict(os.environ),
        "terminal": sys.stderr is not None and sys.stderr.isatty() and not is_tested,  # pyright: ignore[reportUnnecessaryComparison]
        "apps": [app.url for app in apps],
    }
    if is_tested:
        surroundings["command"] = "pytest"
    # What is no UTF-8 in the environment, nobody asks for.
    return json.dumps(surroundings, ensure_ascii=False).encode(errors="replace").decode()
