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
from ._call import UNSET, without_unset, pairs_data, warn
from ._functions import Functions
from .broker import BrokerSelectorBuilder
from .errors import ContractArgumentError, VerificationError, combined, distinct
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
"""Maximum number of pending interactions that a warning lists."""


@dataclass(frozen=True)
class ListedInteraction:
    """An interaction to verify, returned by ``Verifier.interactions``. ``str()`` returns its title."""

    verifier: Verifier
    index: int
    """The index of the interaction in the list that ``Verifier.interactions`` returns."""
    group: str
    """The title of the contract, which contains the consumer's name."""
    title: str
    """The title of the interaction: its description and provider states. It is unique among the interactions of its contract."""

    def verify(self) -> None:
        """Verify only this interaction.

        :raises VerificationError: if the interaction fails
        """
        self.verifier._verify_one(self.index)  # pyright: ignore[reportPrivateUsage]

    def __str__(self) -> str:
        """Return the title."""
        return self.title


class Verifier:
    """Replays contracts against a real provider.

    Every method returns the verifier, so that calls can be chained. Invalid arguments raise ``ContractArgumentError`` (a
    ``ValueError`` and a ``TypeError``) immediately.

    >>> from contract import Verifier
    >>> (
    ...     Verifier("users")
    ...     .add_source("./contracts")
    ...     .add_transport(url="http://127.0.0.1:8080")
    ...     .state_handler({"user exists": lambda action, parameters: ...}, teardown=True)
    ...     .verify()
    ... )

    :param provider: the name of the provider. Only contracts for this provider are verified
    :param host: the host of transports that set neither a URL nor a host. Default: 127.0.0.1
    """

    def __init__(self, provider: str, host: str | None = None) -> None:
        """Create a verifier."""
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
        """The name of the provider."""
        return self._provider

    def __repr__(self) -> str:
        """Return the name of the provider."""
        return f"Verifier({self._provider!r})"

    def _call(self, operation: str, arguments: Mapping[str, object]) -> Self:
        self._pass(operation, arguments)
        return self

    def _pass(self, operation: str, arguments: Mapping[str, object]) -> bool:
        kept = self._functions.kept
        before = len(kept)
        try:
            return self._core.apply(operation, dict(arguments), kept)
        except BaseException:
            # Release the functions of arguments that the core rejected.
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
        """Add contracts to verify. Contracts for other providers are skipped.

        :param source: a file, a directory (searched recursively), a glob pattern such as ``contracts/**/*-users.json``, an ``http``
            or ``https`` URL, or a contract as ``{"json": …}`` with its text or its content
        :param username: the user name for a URL
        :param password: the password for a URL
        :param token: the bearer token for a URL, which replaces the user name and password
        :param headers: additional headers for the request to a URL
        :raises ValueError: if a path does not exist, or if the credentials are contradictory
        """
        options = without_unset({"username": username, "password": password, "token": token, "headers": headers})
        return self._call("add_source", {"source": source, "options": options})

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
        """Set the broker from which the provider's contracts are fetched. Replaces an earlier call.

        Arguments that are not passed are read from ``CONTRACT_BROKER_BASE_URL``, ``CONTRACT_BROKER_USERNAME``,
        ``CONTRACT_BROKER_PASSWORD``, and ``CONTRACT_BROKER_TOKEN``, then from the same names with the prefix ``PACT_BROKER_``.
        ``token`` overrides a user name and password from the environment, and vice versa. If an argument is ``None``, its
        variable is not read.

        :param url: the base URL. It may contain ``user:password@``
        :param username: the user name for basic authentication
        :param password: the password for basic authentication
        :param token: the bearer token, which replaces the user name and password
        :param selector: if True, the call returns a builder that selects consumer versions; call its ``build()`` at the end. By
            default, the latest versions on main branches and all deployed or released versions are selected
        :param use_env: whether environment variables are read. Default: True
        :param headers: additional headers for each request to the broker
        :param timeout: the timeout for one request to the broker in milliseconds. Default: 60000
        :raises ValueError: if the credentials are contradictory
        """
        options: dict[str, object] = without_unset({"headers": headers, "timeout": timeout})
        options |= {"url": url, "username": username, "password": password, "token": token}
        options |= {"use_env": use_env, "selector": selector}
        self._call("broker_source", {"options": options})
        self._brokers += 1
        if not selector:
            return self
        source = self._brokers
        return BrokerSelectorBuilder(
            self, lambda call, arguments: self._call("select", {"source": source, "call": {call: dict(arguments)}})
        )

    def set_publish_options(
        self,
        version: str,
        branch: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        build_url: str | None = None,
    ) -> Self:
        """Publish the results for contracts from a broker as results of a provider version.

        The version, its branch, and its tags are created if they do not exist. Results for contracts from files are not
        published. If publishing fails, the verification fails. Set ``CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS=false`` to
        turn publishing off.

        :param version: the version of the provider, usually the commit
        :param branch: the branch of the version. Default: ``provider_branch`` of the selector, which in turn defaults to this
            branch
        :param tags: the tags of the version
        :param build_url: the URL of the build
        :raises ValueError: if the version is empty or a filter is set
        """
        options = without_unset({"version": version, "branch": branch, "tags": tags, "build_url": build_url})
        return self._call("set_publish_options", {"options": options})

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
        """Add a transport, over which the provider is called: a base URL, the parts of a URL, or the application itself.

        :param url: the base URL. It cannot be combined with the parts of a URL
        :param protocol: the name by which interactions
            refer to the transport. Default: ``http``
        :param host: the host. Default: the host of the verifier
        :param port: the port. Default: the default port of the scheme
        :param path: the path that precedes the path of each
            request, such as ``/v1``
        :param scheme: ``http`` or ``https``. Default: ``http``
        :param app: a WSGI or ASGI application, such as an app of Flask, Django, FastAPI, or Starlette. It listens on a free port
            of 127.0.0.1 while a verification runs
        :param interface: ``wsgi`` or ``asgi``. Default: detected from ``app``
        :raises ValueError: if arguments are missing or cannot be combined
        """
        parts = without_unset(
            {"url": url, "protocol": protocol, "host": host, "port": port, "path": path, "scheme": scheme}
        )
        if app is None and not parts:
            raise ContractArgumentError(
                "add_transport: pass a URL, the parts of a URL, or an app",
                code="ERR_CONTRACT_OPTIONS",
                operation="add_transport",
            )
        if app is not None:
            from ._apps import kind_of

            kind = kind_of(app, interface)
            if self._pass("add_transport", {"transport": {**parts, "app": True}}):
                self._apps.append((app, kind))
            return self
        if url is not None and len(parts) == 1:
            return self._call("add_transport", {"transport": url})
        if url is None and host is None and self._host is not None:
            parts["host"] = self._host
        return self._call("add_transport", {"transport": parts})

    def message_handler(
        self, handler: MessageFunction | Mapping[str, Any], *, timeout: int | None = None
    ) -> Self:
        """Register message handlers, which run in this process. Repeated calls add handlers.

        A message is a JSON value, a string that is sent unchanged, bytes, or a mapping with ``contents``, ``content_type``, and
        ``metadata``.

        :param handler: a mapping of descriptions to functions or constant messages, or one function for all descriptions without
            a handler. A function receives those of these arguments that it declares: ``name`` (the description), ``metadata``,
            ``provider_states``, and ``state_values``. A single parameter with another name receives a
            :class:`~contract.MessageRequest`. A function can be a coroutine function
        :param timeout: the timeout for a handler in milliseconds. Default: 30000
        :raises TypeError: if ``handler`` is not a function or a mapping
        """
        from collections.abc import Mapping

        handlers: object = handler
        if isinstance(handler, Mapping):
            handlers = {name: envelope(value) for name, value in cast("Mapping[str, object]", handler).items()}
        return self._call("message_handler", {"handlers": handlers, "options": without_unset({"timeout": timeout})})

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
        """Register provider state handlers.

        Functions run in this process, on the thread that called ``verify``, and can be coroutine functions. Generators and
        request filters use the values that they return. If a function raises an exception, the interaction fails, and the
        exception is the ``__cause__`` of the error.

        :param handler: a ``handler(state, action, parameters)`` function for all states, a mapping from state names to
            handlers, or a URL of the provider to which states are sent with POST. A handler in a mapping is a
            ``handler(action, parameters)`` function, or a mapping with the functions ``setup`` and ``teardown``, which receive
            ``parameters``. ``action`` is ``setup`` or ``teardown``, and ``parameters`` is a mapping, or None if the state has
            none. Repeated calls with mappings add handlers
        :param teardown: whether states are torn down. A ``teardown`` function in a mapping is always called. Default: False
        :param body: whether state, action, and parameters are sent in the body of the request (True), or in its query string and
            headers (False). Required if the handler is a URL, otherwise not supported
        :param headers: headers of the request. Only supported if the handler is a URL
        :param on_missing: what to do with an
            interaction if one of its states has no handler: ``error`` fails it, ``warn`` verifies it with a warning, and
            ``ignore`` verifies it without one. Only supported if the handler is a mapping. Default: ``error``
        :param empty_state: whether the function is called with an empty name for interactions without states. Only supported if the
            handler is a function. Default: False
        :raises ValueError: if an argument cannot be combined with the form of the handler
        :raises TypeError: if the handler has none of these forms
        """
        options = without_unset(
            {
                "teardown": teardown or None,
                "body": body,
                "headers": headers,
                "on_missing": on_missing,
                "empty_state": empty_state,
            }
        )
        return self._call("state_handler", {"handler": handler, "options": options})

    def filter(
        self,
        description: str | re.Pattern[str] | None = None,
        *,
        state: str | re.Pattern[str] | None = None,
        no_state: bool = False,
        id: str | None = None,
        kind: Literal["HTTP", "Async", "Sync"] | None = None,
    ) -> Self:
        """Verify only interactions that satisfy all arguments. Replaces an earlier call.

        :param description: a regular expression to search for in the description
        :param state: a regular expression to search for in the names of provider states
        :param no_state: whether only interactions without provider states are verified
        :param id: an interaction key, the broker's ID of the interaction, or a fingerprint from a report
        :param kind: the kind of
            the interactions: ``HTTP``, ``Async``, or ``Sync``
        """
        chosen = without_unset(
            {"description": description, "state": state, "no_state": no_state or None, "id": id, "kind": kind}
        )
        return self._call("filter", {"filter": chosen})

    def filter_consumers(self, *names: str) -> Self:
        """Verify only the contracts of these consumers. Replaces an earlier call. Without names, the contracts of all consumers
        are verified.
        """
        return self._call("filter_consumers", {"names": list(names)})

    def add_custom_header(self, name: str, value: str | Callable[[], Any]) -> Self:
        """Set a header in every request to the provider. It replaces the header in the contract. A function as the value is
        called for each request.
        """
        return self._call("add_custom_header", {"name": name, "value": value})

    def add_custom_headers(
        self, headers: Mapping[str, str | Callable[[], Any]] | Pairs[str | Callable[[], Any]]
    ) -> Self:
        """Set multiple headers in every request to the provider, as a mapping or as pairs. See ``add_custom_header``."""
        return self._call("add_custom_headers", {"headers": pairs_data(headers)})

    def request_filter(self, filter: FilterFunction) -> Self:
        """Add a function that changes each request before it is sent: ``filter(request, context)``.

        The function changes the :class:`~contract.Request` or returns another one. ``context`` contains the interaction and the
        values of its provider states. The filter can be a coroutine function. Filters run in the order in which they were added.
        """
        return self._call("request_filter", {"filter": filter})

    def before_each(self, hook: BeforeFunction) -> Self:
        """Call ``hook(interaction)`` before each interaction. If the hook raises an exception, the interaction fails."""
        return self._call("before_each", {"hook": hook})

    def after_each(self, hook: AfterFunction) -> Self:
        """Call ``hook(interaction, result)`` after each interaction. If the hook raises an exception, the interaction fails."""
        return self._call("after_each", {"hook": hook})

    def set_request_timeout(self, timeout: int) -> Self:
        """Set the timeout for one request, from connecting to the last byte of the response, in milliseconds. Default: 5000."""
        return self._call("set_request_timeout", {"milliseconds": timeout})

    def set_callback_timeout(self, timeout: int) -> Self:
        """Set the timeout for one call to a handler, filter, hook, or header function, in milliseconds. Default: 30000.

        After the timeout, the interaction fails. A plain function is not interrupted.
        """
        return self._call("set_callback_timeout", {"milliseconds": timeout})

    def set_body_limit(self, limit: int) -> Self:
        """Set the maximum size of a decompressed response, in bytes. Default: 64 MiB."""
        return self._call("set_body_limit", {"bytes": limit})

    def set_generated_size(self, size: int) -> Self:
        """Set the maximum size of the values that generators produce for one request or message, in bytes. Default: 64 MiB."""
        return self._call("set_generated_size", {"bytes": size})

    def set_pattern_size(self, size: int) -> Self:
        """Set the maximum size of the regular expressions compiled for one response or message, in bytes. Default: 256 MiB."""
        return self._call("set_pattern_size", {"bytes": size})

    def set_directory_limit(self, count: int) -> Self:
        """Set the maximum number of directories that are searched for one source. Default: 100000."""
        return self._call("set_directory_limit", {"count": count})

    def set_source_limit(self, limit: int) -> Self:
        """Set the maximum size of one contract, in bytes. Default: 64 MiB."""
        return self._call("set_source_limit", {"bytes": limit})

    def set_total_source_limit(self, limit: int) -> Self:
        """Set the maximum total size of the contracts for one verification, in bytes. Default: 512 MiB."""
        return self._call("set_total_source_limit", {"bytes": limit})

    def tls(
        self,
        *,
        ca: str | bytes | Sequence[str | bytes] | None = None,
        cert: str | bytes | None = None,
        key: str | bytes | None = None,
    ) -> Self:
        """Set certificates for connections to the provider, to the URL that sets up its states, and to URLs of contracts.

        :param ca: certificates of certificate authorities to trust in addition to the system's, in PEM format
        :param cert: the client certificate in PEM format
        :param key: the private key of the client certificate in PEM format, unencrypted
        """
        return self._call("tls", without_unset({"ca": ca, "cert": cert, "key": key}))

    def disable_ssl_verification(self, disabled: bool = True) -> Self:
        """Accept any server certificate without verification. If ``disabled`` is False, certificates are verified again."""
        return self._call("disable_ssl_verification", {"disabled": disabled})

    def set_http_version(self, version: Literal["1.1", "2"]) -> Self:
        """Set the HTTP version of all requests. By default, requests use HTTP/1.1, or HTTP/2 if the server selects it during the
        TLS handshake.
        """
        return self._call("set_http_version", {"version": version})

    def set_plugins(
        self,
        directories: Sequence[str | os.PathLike[str]] | None = None,
        *,
        start_timeout: int | None = None,
        timeout: int | None = None,
    ) -> Self:
        """Set the plugin directories and timeouts.

        :param directories: the directories to search for plugins. Default: CONTRACT_PLUGIN_DIR, then PACT_PLUGIN_DIR, then
            ``.pact/plugins`` in the home directory
        :param start_timeout: the maximum time for the start of a plugin in milliseconds. Default: 60000
        :param timeout: the maximum time for one call to a plugin in milliseconds. Default: 30000
        """
        options = {"directories": directories, "start_timeout": start_timeout, "timeout": timeout}
        return self._call("set_plugins", without_unset(options))

    def set_error_on_empty_contract(self, enabled: bool = True) -> Self:
        """Set whether the verification fails if no contract for this provider is found. Default: True."""
        return self._call("set_error_on_empty_contract", {"enabled": enabled})

    def set_error_on_empty_pact(self, enabled: bool = True) -> Self:
        """Alias of ``set_error_on_empty_contract``."""
        return self.set_error_on_empty_contract(enabled)

    def follow_redirects(self, follow: bool = True, *, credentials: bool = False) -> Self:
        """Set whether redirects from the provider are followed. Default: True.

        :param credentials: whether headers that may contain credentials are sent to another scheme, host, or port. Default:
            False
        """
        return self._call("follow_redirects", {"follow": follow, "options": {"credentials": credentials}})

    def set_coloured_output(self, enabled: bool = True) -> Self:
        """Set whether the output is colored. Default: True if standard error is a terminal."""
        return self._call("set_coloured_output", {"enabled": enabled})

    def set_quiet(self, enabled: bool = True) -> Self:
        """Set whether the warnings of a run that passed are omitted. Default: False."""
        self._call("set_quiet", {"enabled": enabled})
        self._is_quiet = enabled
        return self

    def set_colored_output(self, enabled: bool = True) -> Self:
        """Alias of ``set_coloured_output``."""
        return self.set_coloured_output(enabled)

    def verify(
        self,
        *,
        exit_first: bool = False,
        last_failed: bool = False,
        concurrency: int | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Run the verification. Ctrl-C stops it.

        :param exit_first: whether the run stops at the first failure. The remaining interactions are skipped. Default: False
        :param last_failed: whether only interactions that failed in the last run are verified, if there are any. Default: False
        :param concurrency: the maximum number of interactions without provider states that are verified at the same time.
            Default: 1
        :param progress: whether progress is shown. Default: True on a terminal, except in test runners
        :return: the verifier. Its ``results`` contain the report
        :raises VerificationError: if an interaction fails
        :raises BrokerError: if the contracts cannot be fetched from a broker
        :raises RuntimeError: if there is no transport or no source
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
        """Run the verification without blocking the event loop. See ``verify`` for parameters and exceptions.

        Coroutine functions and ASGI applications run on this loop, other functions on a separate thread. Canceling the coroutine,
        for example with ``asyncio.wait_for``, stops the verification immediately.
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
                verified = self._core.run(options, _run_context(apps), dispatch, self._functions.raised, stop)
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
        raise error from combined("exceptions raised by the provider's functions", causes)

    def prepare(self) -> Self:
        """Read all sources, including URLs and brokers. If there are URLs or brokers, ``interactions`` requires this."""
        with Awaiter() as awaiter:
            self._core.prepare(_run_context(()), self._functions.dispatcher(awaiter), self._functions.raised)
        return self

    def interactions(self) -> list[ListedInteraction]:
        """Return the interactions to verify, so that each of them can be a test.

        Applications start when the first interaction is verified, and ``close`` stops them. With pytest, use the
        ``contract.pytest_plugin`` plugin instead.

        >>> @pytest.mark.parametrize("interaction", verifier.interactions(), ids=str)
        ... def test_contract(interaction):
        ...     interaction.verify()
        """
        listed = self._core.interactions(_run_context(()))
        return [ListedInteraction(self, index, group, title) for index, (_, group, title) in enumerate(listed)]

    def _verify_one(self, index: int) -> None:
        if self._session is None:
            self._session = _Session(self)
        self._session.verify(index)

    def close(self) -> None:
        """End the verification of single interactions. Afterwards, ``results`` contains the results of all of them.

        If publishing is configured, the results are published for contracts of which all interactions were verified.

        :raises VerificationError: if the results cannot be published
        """
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def __enter__(self) -> Self:
        """Return the verifier."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Call ``close``."""
        self.close()

    @property
    def results(self) -> VerificationReport | None:
        """The report of the last run, or None before the first run."""
        last = self._core.last()
        return None if last is None else cast("VerificationReport", json.loads(last.report))

    def output(self, *, strip_ansi: bool = False) -> str:
        """Return the output of the last run. Empty before the first run."""
        last = self._core.last()
        text = "" if last is None else last.text
        return re.sub(r"\x1b\[[0-9;]*m", "", text) if strip_ansi else text

    @property
    def logs(self) -> list[str]:
        """The last lines that the core logged during the last run. Empty before the first run."""
        last = self._core.last()
        return [] if last is None else last.log

    def write_report(
        self, format: Literal["json", "junit", "markdown", "html", "github"], path: str | os.PathLike[str]
    ) -> None:
        """Convert the report of the last run to a format and write it to a file. Missing directories are created."""
        self._core.write_report(format, path)


class _Session:
    """A run in which the interactions are verified one at a time."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self._awaiter = Awaiter()
        self._apps: list[RunningApp] = []
        try:
            self._apps = verifier._start_apps(self._awaiter)  # pyright: ignore[reportPrivateUsage]
            verifier._core.start(_run_context(self._apps))  # pyright: ignore[reportPrivateUsage]
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
            finished = core.finish(_run_context(self._apps), functions.dispatcher(self._awaiter), functions.raised)
            # The test of a failed interaction has already reported it.
            if finished is not None and "error" in json.loads(finished.report).get("publication", {}):
                verifier._check(finished, ())  # pyright: ignore[reportPrivateUsage]
        finally:
            core.close()
            # Stop applications first, because they may run on the loop of the awaiter.
            _stop_apps(self._apps)
            self._awaiter.__exit__()


def _stop_apps(apps: Sequence[RunningApp]) -> None:
    for app in apps:
        app.close()


def _warnings_of(report: VerificationReport) -> list[str]:
    """Return the warnings of a run that passed: the core's warnings, and failures of pending interactions."""
    pending = [
        interaction["description"]
        for contract in report["contracts"]
        for interaction in contract["interactions"]
        if interaction["status"] == "pending"
    ]
    texts = [*report["warnings"]]
    if pending:
        listed = ", ".join(f'"{description}"' for description in pending[:_SHOWN])
        more = f", and {len(pending) - _SHOWN} more" if len(pending) > _SHOWN else ""
        texts.append(
            f"{len(pending)} pending interaction{'s' if len(pending) > 1 else ''} failed (not counted as failures): {listed}{more}. "
            "For details, call output() on the verifier."
        )
    return texts


def _run_options(
    exit_first: bool, last_failed: bool, concurrency: int | None, progress: bool | None
) -> dict[str, object]:
    return without_unset(
        {"exit_first": exit_first, "last_failed": last_failed, "concurrency": concurrency, "progress": progress}
    )


def _run_context(apps: Sequence[RunningApp]) -> str:
    # pytest captures the output, so no progress is shown in tests.
    is_tested = "PYTEST_CURRENT_TEST" in os.environ
    context: dict[str, Json] = {
        "environment": dict(os.environ),
        "terminal": sys.stderr is not None and sys.stderr.isatty() and not is_tested,  # pyright: ignore[reportUnnecessaryComparison]
        "apps": [app.url for app in apps],
    }
    if is_tested:
        context["command"] = "pytest"
    # Ignore variables that are not UTF-8.
    return json.dumps(context, ensure_ascii=False).encode(errors="replace").decode()
