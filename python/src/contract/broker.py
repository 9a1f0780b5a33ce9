"""A client for brokers, which publishes contracts, records deployments, and checks whether versions can be deployed."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._broker_calls import BrokerCalls
from ._call import without_unset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from .broker_types import PublishedContracts
    from .verifier import Verifier

__all__ = ["Broker", "BrokerSelectorBuilder"]

__tracebackhide__ = True


class Broker(BrokerCalls):
    """A client for a broker: publishes contracts, records deployments, and checks whether versions can be deployed.

    >>> broker = Broker("https://broker.example")
    >>> broker.publish("./contracts", consumer_version="1.4.0", branch="main")
    >>> if not broker.can_i_deploy([{"pacticipant": "web", "version": "1.4.0"}], to_environment="production")["deployable"]:
    ...     sys.exit(1)

    Arguments that are not passed are read from ``CONTRACT_BROKER_BASE_URL``, ``CONTRACT_BROKER_USERNAME``,
    ``CONTRACT_BROKER_PASSWORD``, and ``CONTRACT_BROKER_TOKEN``, then from the same names with the prefix ``PACT_BROKER_``. A
    failed call raises :class:`~contract.errors.BrokerError`. Invalid arguments raise ``ValueError`` before anything is sent.

    :param url: the base URL. It may contain ``user:password@``
    :param username: the user name for basic authentication. Overrides a token from the environment
    :param password: the password for basic authentication
    :param token: the bearer token. Overrides a user name and password from the environment
    :param use_env: whether environment
        variables are read, including the variables for proxies and certificates. Default: True
    :param headers: additional headers for each request
    :param retries: the maximum number of retries of an idempotent request. Default: CONTRACT_BROKER_HTTP_RETRIES, otherwise 5,
        or 2 if the connection is refused
    :param timeout: the timeout for one request in milliseconds. Default: 60000
    :param ca: certificates of certificate authorities
        to trust in addition to the system's, in PEM format
    :param cert: the client certificate in PEM format
    :param key: the private key of the client certificate in PEM format, unencrypted
    :param disable_ssl_verification: whether any server certificate is accepted. Default: False
    """

    def __init__(
        self,
        url: str | None = None,
        username: str | None = None,
        password: str | None = None,
        token: str | None = None,
        *,
        use_env: bool | None = None,
        headers: Mapping[str, str] | None = None,
        retries: int | None = None,
        timeout: int | None = None,
        ca: Sequence[str] | None = None,
        cert: str | None = None,
        key: str | None = None,
        disable_ssl_verification: bool | None = None,
    ) -> None:
        """Create a client without sending a request."""
        self._access = without_unset(
            {
                "url": url,
                "username": username,
                "password": password,
                "token": token,
                "use_env": use_env,
                "headers": headers,
                "retries": retries,
                "timeout": timeout,
                "ca": [ca] if isinstance(ca, str) else ca,
                "cert": cert,
                "key": key,
                "disable_ssl_verification": disable_ssl_verification,
            }
        )

    def __repr__(self) -> str:
        """Return only the name of the class, because URLs can contain secrets."""
        return "<Broker>"

    def _call(self, call: str, /, **arguments: object) -> Any:
        environment = json.dumps({name: value for name, value in os.environ.items() if _is_text(value)})
        return json.loads(_native.broker_call(call, self._access, without_unset(arguments), environment))

    def publish(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        consumer_version: str | None = None,
        *,
        branch: str | None = None,
        tags: Sequence[str] | None = None,
        build_url: str | None = None,
        auto_detect: bool | None = None,
        tag_with_git_branch: bool | None = None,
        merge: bool | None = None,
        validate: bool | None = None,
        strict: bool | None = None,
        dry_run: bool | None = None,
    ) -> PublishedContracts:
        """Publish contracts from files, directories, or glob patterns.

        For each consumer, either all contracts or none are published.

        :param consumer_version: the version of the consumer. Required unless ``auto_detect`` is True and detects it
        :param branch: the branch of the consumer version, such as ``main``
        :param tags: the tags to add to the consumer version
        :param build_url: the URL of the CI build that publishes the contracts
        :param auto_detect: whether the version, branch, and build URL are detected from the CI system or git if they are not
            passed. Default: False
        :param tag_with_git_branch: whether the name of the branch is added as a tag. Default: False
        :param merge: whether the
            contracts are merged with the contracts that other jobs of the build have already published for this version. Default:
            False
        :param validate: whether files with interactions that cannot be read are rejected. Default: False
        :param strict: whether files that cause a warning are rejected. Default: False
        :param dry_run: whether the result only shows what would be published, without publishing it. Default: False
        :raises BrokerError: if no contract is found, or if this version was already published with different content
            (``ERR_CONTRACT_BROKER_CONFLICT``; ``notices`` contain the difference)
        """
        paths = [files] if isinstance(files, (str, os.PathLike)) else files
        answer: PublishedContracts = self._call(
            "publish",
            files=[os.fspath(path) for path in paths],
            consumer_version=consumer_version,
            branch=branch,
            tags=tags,
            build_url=build_url,
            auto_detect=auto_detect,
            tag_with_git_branch=tag_with_git_branch,
            merge=merge,
            validate=validate,
            strict=strict,
            dry_run=dry_run,
        )
        return answer


def _is_text(value: str) -> bool:
    """Return whether an environment variable's value is valid UTF-8. Other variables are not passed to the core."""
    return not any("\udc80" <= letter <= "\udcff" for letter in value)


class BrokerSelectorBuilder:
    """Selects the contracts to fetch from a broker. Call ``build()`` last; it returns the verifier.

    All other methods return the builder, so that calls can be chained. If ``consumer_version`` is not called, the builder selects
    the latest version on each consumer's main branch and all deployed or released versions.
    """

    def __init__(self, verifier: Verifier, call: Callable[[str, Mapping[str, object]], object]) -> None:
        """Create a builder. Use ``Verifier.broker_source`` instead."""
        self._verifier = verifier
        self._send = call

    def _add(self, call: str, **arguments: object) -> Self:
        self._send(call, arguments)
        return self

    def include_pending(self) -> Self:
        """Ignore failures of pending contracts, which have never passed on the provider's branch."""
        return self._add("include_pending")

    def exclude_pending(self) -> Self:
        """Treat failures of pending contracts as failures of the verification. This is the default."""
        return self._add("exclude_pending")

    def include_wip_since(self, date: str | datetime.date) -> Self:
        """Add work-in-progress (WIP) contracts that were published on other branches since this date. Their failures are ignored.

        :param date: a string such as ``2026-01-31`` with an optional time, or a ``date`` or ``datetime``
        :raises ValueError: if a string is not a date
        """
        return self._add("include_wip_since", date=date.isoformat() if isinstance(date, datetime.date) else date)

    def exclude_wip(self) -> Self:
        """Exclude work-in-progress (WIP) contracts. This is the default."""
        return self._add("exclude_wip")

    def provider_branch(self, branch: str) -> Self:
        """Set the provider's branch. It determines which contracts are pending and which are work in progress (WIP).

        Default: the branch that ``set_publish_options`` sets.
        """
        return self._add("provider_branch", branch=branch)

    def provider_tags(self, *tags: str) -> Self:
        """Set the provider's tags, which are a legacy alternative to branches. Replaces earlier tags."""
        return self._add("provider_tags", tags=list(tags))

    def consumer_tags(self, *tags: str) -> Self:
        """Select the latest consumer version with each of these tags. Replaces earlier tags."""
        return self._add("consumer_tags", tags=list(tags))

    def consumer_version(
        self,
        branch: str | bool | None = None,
        deployed_or_released: bool | None = None,
        main_branch: bool | None = None,
        consumer: str | None = None,
        deployed: bool | None = None,
        environment: str | None = None,
        *,
        released: bool | None = None,
        matching_branch: bool | None = None,
        fallback_branch: str | None = None,
        fallback_to_main_branch: bool | None = None,
        tag: str | None = None,
        fallback_tag: str | None = None,
        latest: bool | None = None,
    ) -> Self:
        """Add a selector for consumer versions that satisfy all arguments. Several selectors are combined (union).

        :param branch: selects the latest version on this branch, or of every branch if True
        :param deployed_or_released: selects
            versions that are currently deployed, or released and still supported
        :param main_branch: selects the latest version on each consumer's main branch
        :param consumer: selects only versions of this consumer
        :param deployed: selects versions that are currently deployed
        :param environment: selects versions that are deployed or released in this environment
        :param released: selects versions that are released and still supported
        :param matching_branch: selects the latest version on the branch with the same name as the provider's branch
        :param fallback_branch: the branch to use for consumers that do not have ``branch``. Requires ``branch`` with a name
        :param fallback_to_main_branch: uses the main branch for consumers that do not have ``branch``. Versions of the Pact Broker
            without this selector ignore it
        :param tag: selects all versions with this tag, or only the latest of them if ``latest`` is True
        :param fallback_tag: the
            tag to use for consumers that do not have ``tag``. Requires ``tag`` and ``latest``
        :param latest: selects only the latest version, or the latest version with ``tag``
        :raises ValueError: if the arguments select no versions or cannot be combined
        """
        selector = without_unset(
            {
                "branch": branch,
                "deployed_or_released": deployed_or_released,
                "main_branch": main_branch,
                "consumer": consumer,
                "deployed": deployed,
                "environment": environment,
                "released": released,
                "matching_branch": matching_branch,
                "fallback_branch": fallback_branch,
                "fallback_to_main_branch": fallback_to_main_branch,
                "tag": tag,
                "fallback_tag": fallback_tag,
                "latest": latest,
            }
        )
        return self._add("consumer_version", selector=selector)

    def consumer_versions(self, *selectors: str) -> Self:
        """Add consumer version selectors, each as JSON text."""
        return self._add("consumer_versions", selectors=list(selectors))

    def build(self) -> Verifier:
        """Finish the builder and return the verifier."""
        self._send("build", {})
        return self._verifier
