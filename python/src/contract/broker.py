"""Calls to brokers: publishing, verdicts, and the records behind them."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._call import without_unset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from .broker_types import (
        Branch,
        BrokerContract,
        Deletion,
        DeploymentRecord,
        DeploymentVerdict,
        Diagnosis,
        Environment,
        IgnoredVersion,
        Pacticipant,
        PacticipantVersion,
        PublishedContracts,
        RequestedState,
        TaggedVersion,
        VersionChoice,
        WebhookEvent,
    )
    from .types import Json
    from .verifier import Verifier

__all__ = ["Broker", "BrokerSelectorBuilder"]

__tracebackhide__ = True


class Broker:
    """A client for a broker: publishes contracts, records deployments, and checks whether versions can be deployed.

    >>> broker = Broker("https://broker.example")
    >>> broker.publish("./contracts", consumer_version="1.4.0", branch="main")
    >>> if not broker.can_i_deploy([{"pacticipant": "web", "version": "1.4.0"}], to_environment="production")["deployable"]:
    ...     sys.exit(1)

    Missing arguments are read from ``CONTRACT_BROKER_BASE_URL``, ``CONTRACT_BROKER_USERNAME``, ``CONTRACT_BROKER_PASSWORD``, and
    ``CONTRACT_BROKER_TOKEN``, then from the same names with the prefix ``PACT_BROKER_``. A failed call raises
    :class:`~contract.errors.BrokerError`. Invalid arguments raise ``ValueError`` before anything is sent.

    :param url: the base URL; may contain ``user:password@``
    :param username: the user name for basic authentication. Overrides a token from the environment
    :param password: the password for basic authentication
    :param token: the bearer token. Overrides a user name and password from the environment
    :param use_env: whether environment variables are read, including those for proxies and certificates. Default: True
    :param headers: additional headers of every request
    :param retries: the number of retries of idempotent requests. Default: CONTRACT_BROKER_HTTP_RETRIES, then 5, or 2 if the
        connection is refused
    :param timeout: the timeout of one request in milliseconds. Default: 60000
    :param ca: certificates of authorities to trust in addition to the system's, as PEM
    :param cert: the client certificate, as PEM
    :param key: the private key of the client certificate, as unencrypted PEM
    :param disable_ssl_verification: accepts any certificate. Default: False
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
        """Create a client. Nothing is sent."""
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
        """Publish contracts from files, directories, or patterns.

        The contracts of one consumer are published together or not at all.

        :param consumer_version: the version of the consumer. Required unless ``auto_detect`` finds it
        :param branch: the branch of the version
        :param tags: the tags of the version
        :param build_url: the URL of the build
        :param auto_detect: detects the version, branch, and build URL from the CI system or git, if they are missing
        :param tag_with_git_branch: adds a tag with the name of the branch
        :param merge: merges the contracts with those that other parts of the build have published for this version
        :param validate: rejects files with interactions that cannot be read
        :param strict: rejects files that cause any warning
        :param dry_run: publishes nothing and returns what would be published
        :raises BrokerError: if no contract is found, or this version was already published with different content
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

    def can_i_deploy(
        self,
        selectors: Sequence[VersionChoice],
        *,
        to_environment: str | None = None,
        to: str | None = None,
        ignore: Sequence[IgnoredVersion] | None = None,
        explain: bool | None = None,
        retry_while_unknown: int | None = None,
        retry_interval: int | None = None,
        wait: int | None = None,
        limit: int | None = None,
        dry_run: bool | None = None,
    ) -> DeploymentVerdict:
        """Check whether a version can be deployed. A negative verdict is returned, not raised.

        :param selectors: the version to deploy. Several versions without ``to`` and ``to_environment`` are checked against each
            other
        :param to_environment: the target environment
        :param to: checks against the latest versions with this tag, instead of an environment
        :param ignore: the pacticipants to ignore
        :param explain: explains each blocking integration: what is missing, since when, which team must act, and how
        :param retry_while_unknown: the number of retries while the verdict is unknown. Default: 0
        :param retry_interval: the retry interval in milliseconds. Default: 10000
        :param wait: the total time to wait in milliseconds, instead of a number of retries
        :param limit: the maximum number of rows
        :param dry_run: always returns a positive verdict
        """
        answer: DeploymentVerdict = self._call(
            "can_i_deploy",
            selectors=selectors,
            to_environment=to_environment,
            to=to,
            ignore=ignore,
            explain=explain,
            retry_while_unknown=retry_while_unknown,
            retry_interval=retry_interval,
            wait=wait,
            limit=limit,
            dry_run=dry_run,
        )
        return answer

    def can_i_merge(
        self,
        pacticipant: str,
        version: str,
        *,
        ignore: Sequence[IgnoredVersion] | None = None,
        explain: bool | None = None,
        retry_while_unknown: int | None = None,
        retry_interval: int | None = None,
        wait: int | None = None,
        dry_run: bool | None = None,
    ) -> DeploymentVerdict:
        """Check whether a version is compatible with the main branches of all other pacticipants. See ``can_i_deploy``."""
        answer: DeploymentVerdict = self._call(
            "can_i_merge",
            pacticipant=pacticipant,
            version=version,
            ignore=ignore,
            explain=explain,
            retry_while_unknown=retry_while_unknown,
            retry_interval=retry_interval,
            wait=wait,
            dry_run=dry_run,
        )
        return answer

    def record_deployment(
        self,
        pacticipant: str,
        version: str,
        environment: str,
        *,
        application_instance: str | None = None,
    ) -> DeploymentRecord:
        """Record a deployment. It replaces the version that was deployed before.

        :param environment: the name of the environment
        :param application_instance: the name of the instance, if several run in the environment
        """
        answer: DeploymentRecord = self._call(
            "record_deployment",
            pacticipant=pacticipant,
            version=version,
            environment=environment,
            application_instance=application_instance,
        )
        return answer

    def record_undeployment(
        self,
        pacticipant: str,
        environment: str,
        *,
        application_instance: str | None = None,
    ) -> DeploymentRecord:
        """Record that the deployed version is no longer deployed."""
        answer: DeploymentRecord = self._call(
            "record_undeployment",
            pacticipant=pacticipant,
            environment=environment,
            application_instance=application_instance,
        )
        return answer

    def record_release(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record a release. Earlier releases stay supported."""
        answer: DeploymentRecord = self._call("record_release", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def record_support_ended(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record that a release is no longer supported."""
        answer: DeploymentRecord = self._call("record_support_ended", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def list_latest_contracts(self) -> list[BrokerContract]:
        """List the latest contract of each integration (pair of consumer and provider)."""
        answer: list[BrokerContract] = self._call("list_latest_contracts")
        return answer

    def get_contracts(
        self,
        provider: str,
        *,
        consumer: str | None = None,
        branch: str | None = None,
        latest: bool | None = None,
        download: bool | None = None,
        download_dir: str | None = None,
    ) -> list[BrokerContract]:
        """List the contracts of a provider.

        :param latest: only the latest contract of each consumer
        :param download: writes the contracts to files
        :param download_dir: the directory for these files. Default: ``pacts``
        """
        answer: list[BrokerContract] = self._call(
            "get_contracts",
            provider=provider,
            consumer=consumer,
            branch=branch,
            latest=latest,
            download=download,
            download_dir=download_dir,
        )
        return answer

    def provider_states(
        self,
        provider: str,
        *,
        branch: str | None = None,
        environment: str | None = None,
    ) -> list[RequestedState]:
        """List the provider states that consumers use."""
        answer: list[RequestedState] = self._call("provider_states", provider=provider, branch=branch, environment=environment)
        return answer

    def doctor(self) -> Diagnosis:
        """Check the URL of the broker, the credentials, and their permissions."""
        answer: Diagnosis = self._call("doctor")
        return answer

    def create_environment(
        self,
        name: str,
        *,
        display_name: str | None = None,
        production: bool | None = None,
        contact_name: str | None = None,
        contact_email_address: str | None = None,
    ) -> Environment:
        """Create an environment.

        :param name: the name, without spaces
        :param production: whether it is a production environment. Default: False
        """
        answer: Environment = self._call(
            "create_environment",
            name=name,
            display_name=display_name,
            production=production,
            contact_name=contact_name,
            contact_email_address=contact_email_address,
        )
        return answer

    def update_environment(
        self,
        uuid: str,
        *,
        name: str | None = None,
        display_name: str | None = None,
        production: bool | None = None,
        contact_name: str | None = None,
        contact_email_address: str | None = None,
    ) -> Environment:
        """Update an environment. Missing arguments are not changed."""
        answer: Environment = self._call(
            "update_environment",
            uuid=uuid,
            name=name,
            display_name=display_name,
            production=production,
            contact_name=contact_name,
            contact_email_address=contact_email_address,
        )
        return answer

    def describe_environment(self, uuid: str) -> Environment:
        """Describe an environment."""
        answer: Environment = self._call("describe_environment", uuid=uuid)
        return answer

    def delete_environment(self, uuid: str) -> Deletion:
        """Delete an environment."""
        answer: Deletion = self._call("delete_environment", uuid=uuid)
        return answer

    def list_environments(self) -> list[Environment]:
        """List all environments."""
        answer: list[Environment] = self._call("list_environments")
        return answer

    def create_or_update_pacticipant(
        self,
        name: str,
        *,
        display_name: str | None = None,
        main_branch: str | None = None,
        repository_url: str | None = None,
    ) -> Pacticipant:
        """Create or update a pacticipant (an application that has contracts). Missing arguments are not changed."""
        answer: Pacticipant = self._call(
            "create_or_update_pacticipant",
            name=name,
            display_name=display_name,
            main_branch=main_branch,
            repository_url=repository_url,
        )
        return answer

    def describe_pacticipant(self, name: str) -> Pacticipant:
        """Describe a pacticipant."""
        answer: Pacticipant = self._call("describe_pacticipant", name=name)
        return answer

    def delete_pacticipant(self, name: str) -> Deletion:
        """Delete a pacticipant with its versions, contracts, and results."""
        answer: Deletion = self._call("delete_pacticipant", name=name)
        return answer

    def list_pacticipants(self) -> list[Pacticipant]:
        """List all pacticipants."""
        answer: list[Pacticipant] = self._call("list_pacticipants")
        return answer

    def create_or_update_version(
        self,
        pacticipant: str,
        version: str,
        *,
        branch: str | None = None,
        tags: Sequence[str] | None = None,
        build_url: str | None = None,
    ) -> PacticipantVersion:
        """Create or update a version. Missing arguments are not changed."""
        answer: PacticipantVersion = self._call(
            "create_or_update_version",
            pacticipant=pacticipant,
            version=version,
            branch=branch,
            tags=tags,
            build_url=build_url,
        )
        return answer

    def describe_version(
        self,
        pacticipant: str,
        *,
        version: str | None = None,
        latest: Literal[True] | str | None = None,
        environment: str | None = None,
        deployed: bool | None = None,
        released: bool | None = None,
    ) -> PacticipantVersion:
        """Describe a version. Default: the latest version.

        :param latest: True: the latest version. A string: the latest version with this tag
        :param environment: the version in this environment
        :param deployed: only a deployed version
        :param released: only a released version
        """
        answer: PacticipantVersion = self._call(
            "describe_version",
            pacticipant=pacticipant,
            version=version,
            latest=latest,
            environment=environment,
            deployed=deployed,
            released=released,
        )
        return answer

    def create_version_tag(
        self,
        pacticipant: str,
        version: str,
        *,
        tags: Sequence[str] | None = None,
        tag_with_git_branch: bool | None = None,
        auto_create_version: bool | None = None,
    ) -> TaggedVersion:
        """Add tags to a version, which must exist unless ``auto_create_version`` is True."""
        answer: TaggedVersion = self._call(
            "create_version_tag",
            pacticipant=pacticipant,
            version=version,
            tags=tags,
            tag_with_git_branch=tag_with_git_branch,
            auto_create_version=auto_create_version,
        )
        return answer

    def delete_version_tag(self, pacticipant: str, version: str, tag: str) -> Deletion:
        """Remove a tag from a version."""
        answer: Deletion = self._call("delete_version_tag", pacticipant=pacticipant, version=version, tag=tag)
        return answer

    def list_branches(self, pacticipant: str) -> list[Branch]:
        """List the branches of a pacticipant."""
        answer: list[Branch] = self._call("list_branches", pacticipant=pacticipant)
        return answer

    def delete_branch(self, pacticipant: str, branch: str, *, ignore_missing: bool | None = None) -> Deletion:
        """Delete a branch and keep its versions."""
        answer: Deletion = self._call("delete_branch", pacticipant=pacticipant, branch=branch, ignore_missing=ignore_missing)
        return answer

    def create_webhook(
        self,
        url: str,
        events: Sequence[WebhookEvent],
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Json | None = None,
        username: str | None = None,
        password: str | None = None,
        consumer: str | None = None,
        consumer_label: str | None = None,
        provider: str | None = None,
        provider_label: str | None = None,
        description: str | None = None,
        team_uuid: str | None = None,
    ) -> dict[str, Json]:
        """Create a webhook: a request that the broker sends when an event occurs.

        :param url: the URL of the request; may contain ``${pactbroker.…}``
        :param events: the events that trigger the webhook; at least one
        :param method: default: ``POST``
        :param body: the body: JSON or a string
        """
        answer: dict[str, Json] = self._call(
            "create_webhook",
            url=url,
            events=events,
            method=method,
            headers=headers,
            body=body,
            username=username,
            password=password,
            consumer=consumer,
            consumer_label=consumer_label,
            provider=provider,
            provider_label=provider_label,
            description=description,
            team_uuid=team_uuid,
        )
        return answer

    def create_or_update_webhook(
        self,
        uuid: str,
        url: str,
        events: Sequence[WebhookEvent],
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Json | None = None,
        username: str | None = None,
        password: str | None = None,
        consumer: str | None = None,
        consumer_label: str | None = None,
        provider: str | None = None,
        provider_label: str | None = None,
        description: str | None = None,
        team_uuid: str | None = None,
    ) -> dict[str, Json]:
        """Create or update the webhook with this UUID. See ``create_webhook`` for the arguments."""
        answer: dict[str, Json] = self._call(
            "create_or_update_webhook",
            uuid=uuid,
            url=url,
            events=events,
            method=method,
            headers=headers,
            body=body,
            username=username,
            password=password,
            consumer=consumer,
            consumer_label=consumer_label,
            provider=provider,
            provider_label=provider_label,
            description=description,
            team_uuid=team_uuid,
        )
        return answer

    def test_webhook(self, uuid: str) -> dict[str, Json]:
        """Trigger a webhook now."""
        answer: dict[str, Json] = self._call("test_webhook", uuid=uuid)
        return answer

    def delete_webhook(self, uuid: str) -> Deletion:
        """Delete a webhook."""
        answer: Deletion = self._call("delete_webhook", uuid=uuid)
        return answer

    def list_webhooks(self) -> list[dict[str, Json]]:
        """List all webhooks, without their secrets."""
        answer: list[dict[str, Json]] = self._call("list_webhooks")
        return answer


def _is_text(value: str) -> bool:
    """Return whether an environment variable is UTF-8. Others are not passed to the core."""
    return not any("\udc80" <= letter <= "\udcff" for letter in value)


class BrokerSelectorBuilder:
    """Selects the contracts to fetch from a broker. Finish with ``build()``, which returns the verifier.

    Every other method returns the builder, so that calls can be chained. Without ``consumer_version``, the latest versions on
    main branches and all deployed or released versions are selected.
    """

    def __init__(self, verifier: Verifier, call: Callable[[str, Mapping[str, object]], object]) -> None:
        """Use ``Verifier.broker_source`` instead."""
        self._verifier = verifier
        self._send = call

    def _add(self, call: str, **arguments: object) -> Self:
        self._send(call, arguments)
        return self

    def include_pending(self) -> Self:
        """Ignore failures of pending contracts: those that have never passed on the provider's branch."""
        return self._add("include_pending")

    def exclude_pending(self) -> Self:
        """Count failures of pending contracts. This is the default."""
        return self._add("exclude_pending")

    def include_wip_since(self, date: str | datetime.date) -> Self:
        """Add WIP contracts from other branches published since this date. Their failures are ignored.

        :param date: ``2026-01-31``, optionally with a time, or a ``date`` or ``datetime``
        :raises ValueError: if a string is not a date
        """
        return self._add("include_wip_since", date=date.isoformat() if isinstance(date, datetime.date) else date)

    def exclude_wip(self) -> Self:
        """Add no WIP contracts. This is the default."""
        return self._add("exclude_wip")

    def provider_branch(self, branch: str) -> Self:
        """Set the provider's branch. It determines which contracts are pending and WIP.

        Default: the branch of ``set_publish_options``.
        """
        return self._add("provider_branch", branch=branch)

    def provider_tags(self, *tags: str) -> Self:
        """Set the provider's tags, the older alternative to branches. Replaces earlier tags."""
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
        tag: str | None = None,
        fallback_tag: str | None = None,
        latest: bool | None = None,
    ) -> Self:
        """Add a consumer version selector: versions that match all arguments. Selectors are combined (union).

        :param branch: the latest version on this branch; True: the latest version of every branch
        :param deployed_or_released: versions that are deployed, or released and supported
        :param main_branch: the latest version on each consumer's main branch
        :param consumer: only versions of this consumer
        :param deployed: versions that are currently deployed
        :param environment: versions that are deployed or released in this environment
        :param released: versions that are released and supported
        :param matching_branch: the latest version on the branch with the same name as the provider's
        :param fallback_branch: the branch to use if ``branch`` does not exist
        :param tag: all versions with this tag; with ``latest``, the latest of them
        :param fallback_tag: the tag to use if no version has ``tag``; requires ``latest``
        :param latest: the latest version: of all versions, or of those with ``tag``
        :raises ValueError: if the arguments select nothing or cannot be combined
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
                "tag": tag,
                "fallback_tag": fallback_tag,
                "latest": latest,
            }
        )
        return self._add("consumer_version", selector=selector)

    def consumer_versions(self, *selectors: str) -> Self:
        """Add selectors as JSON texts."""
        return self._add("consumer_versions", selectors=list(selectors))

    def build(self) -> Verifier:
        """Finish the builder and return the verifier."""
        self._send("build", {})
        return self._verifier
