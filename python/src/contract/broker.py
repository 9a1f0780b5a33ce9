"""Calls to brokers: publishing, verdicts, and the records behind them."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._call import given

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
    """A broker: contracts are published there, results are asked for, deployments are recorded.

    >>> broker = Broker("https://broker.example")
    >>> broker.publish("./contracts", consumer_version="1.4.0", branch="main")
    >>> if not broker.can_i_deploy([{"pacticipant": "web", "version": "1.4.0"}], to_environment="production")["deployable"]:
    ...     sys.exit(1)

    What is not given comes from the environment: ``CONTRACT_BROKER_BASE_URL``, ``CONTRACT_BROKER_USERNAME``,
    ``CONTRACT_BROKER_PASSWORD`` and ``CONTRACT_BROKER_TOKEN``, or behind them from the same names with ``PACT_BROKER_``.
    Every call raises :class:`~contract.errors.BrokerError` when it had no success, and ``ValueError`` for arguments that make
    no sense, before anything is sent. Ctrl-C ends the waiting.

    :param url: its base URL; may hold ``user:password@``
    :param username: with ``password``, for basic authentication; silences a token of the environment
    :param token: for bearer authentication; silences name and password of the environment
    :param use_env: whether the environment is looked at, for proxies and certificates, too
    :param headers: headers for every request
    :param retries: how often a request is sent again that cannot be answered now, and does no harm when it is done twice.
        Default: CONTRACT_BROKER_HTTP_RETRIES, else 5, and 2 where nobody listens
    :param timeout: milliseconds for one answer. Default: 60000
    :param ca: authorities to trust besides the system's: contents of PEM files
    :param cert: the certificate to show when the broker asks for one: contents of a PEM file
    :param key: its private key, not encrypted: contents of a PEM file
    :param disable_ssl_verification: accepts any certificate
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
        """Keep where the broker is and who asks; nothing is sent."""
        self._access = given(
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
        """Name the class alone: URLs may hold secrets."""
        return "<Broker>"

    def _call(self, call: str, /, **arguments: object) -> Any:
        environment = json.dumps({name: value for name, value in os.environ.items() if _is_text(value)})
        return json.loads(_native.broker_call(call, self._access, given(arguments), environment))

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
        """Publish contract files, directories or patterns. The contracts of one consumer are published at once, or none of them.

        :param consumer_version: the consumer's version; needed, unless ``auto_detect`` finds it
        :param branch: the branch that the version belongs to
        :param tags: tags of the version
        :param build_url: the page of the build
        :param auto_detect: finds version, branch and build in what the CI system or git says, where they are not given
        :param tag_with_git_branch: gives the version a tag of the branch's name
        :param merge: adds to what other parts of the build have published for this version
        :param validate: refuses files with interactions that cannot be read
        :param strict: refuses files with anything odd in them
        :param dry_run: changes nothing, and says what would be published
        :raises BrokerError: when there is no contract, or this version has another content already
            (``ERR_CONTRACT_BROKER_CONFLICT``; ``notices`` show the difference)
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
        """Tell whether a version may be deployed. A no is a value, and not an error.

        :param selectors: what is to be deployed; several without ``to`` and ``to_environment``: whether they work together
        :param to_environment: the environment that it is to go to
        :param to: beside the latest versions with this tag
        :param ignore: what does not count
        :param explain: says for each pair that stands in the way what is missing, since when, who must act, and how
        :param retry_while_unknown: how often it is asked again while results are missing. Default: 0
        :param retry_interval: milliseconds between two questions. Default: 10000
        :param wait: milliseconds for which it is asked again; in place of a number of times
        :param limit: most rows of the answer
        :param dry_run: is always a yes
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
        """Tell whether a version works with the main branches of the others; arguments as those of ``can_i_deploy``."""
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
        """Record that a version was deployed: it takes the place of the one that was there.

        :param environment: the name of the environment
        :param application_instance: which of several instances there
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
        """Record that what was deployed is there no more."""
        answer: DeploymentRecord = self._call(
            "record_undeployment",
            pacticipant=pacticipant,
            environment=environment,
            application_instance=application_instance,
        )
        return answer

    def record_release(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record that a version was released: it is supported besides those before it."""
        answer: DeploymentRecord = self._call("record_release", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def record_support_ended(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record that a released version is no longer supported."""
        answer: DeploymentRecord = self._call("record_support_ended", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def list_latest_contracts(self) -> list[BrokerContract]:
        """Give the latest contract of each pair."""
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
        """Give the contracts of a provider; written into files if asked.

        :param latest: the latest of each consumer
        :param download: writes them into files
        :param download_dir: the directory of these files. Default: ``pacts``
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
        """Give the provider states that consumers ask of a provider."""
        answer: list[RequestedState] = self._call("provider_states", provider=provider, branch=branch, environment=environment)
        return answer

    def doctor(self) -> Diagnosis:
        """Find out which broker is asked, who asks, what they may do, and why not."""
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
        """Make an environment, which versions are deployed to.

        :param name: without spaces
        :param production: whether it serves customers. Default: False
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
        """Change an environment; what is not given stays."""
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
        """Give all environments."""
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
        """Make an application that has contracts with others, or change one; what is not given stays."""
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
        """Delete a pacticipant with its versions, contracts and results."""
        answer: Deletion = self._call("delete_pacticipant", name=name)
        return answer

    def list_pacticipants(self) -> list[Pacticipant]:
        """Give all pacticipants."""
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
        """Make a version, or change one; what is not given stays."""
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
        """Describe a version; without a choice, the latest.

        :param latest: True: the latest. A text: the latest with this tag
        :param environment: the version that is there
        :param deployed: the one that is deployed there
        :param released: the one that is released there
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
        """Give a version tags. It must be there, unless it may be made."""
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
        """Take a tag from a version."""
        answer: Deletion = self._call("delete_version_tag", pacticipant=pacticipant, version=version, tag=tag)
        return answer

    def list_branches(self, pacticipant: str) -> list[Branch]:
        """Give the branches of a pacticipant."""
        answer: list[Branch] = self._call("list_branches", pacticipant=pacticipant)
        return answer

    def delete_branch(self, pacticipant: str, branch: str, *, ignore_missing: bool | None = None) -> Deletion:
        """Delete a branch; its versions stay."""
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
        """Make a webhook: a request that the broker makes when something happens.

        :param url: where its request goes; may hold ``${pactbroker.…}``
        :param events: what makes it go; at least one
        :param method: default: ``POST``
        :param body: JSON, or a text
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
        """Make a webhook with this UUID, or change it; arguments as those of ``create_webhook``."""
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
        """Let a webhook go now."""
        answer: dict[str, Json] = self._call("test_webhook", uuid=uuid)
        return answer

    def delete_webhook(self, uuid: str) -> Deletion:
        """Delete a webhook."""
        answer: Deletion = self._call("delete_webhook", uuid=uuid)
        return answer

    def list_webhooks(self) -> list[dict[str, Json]]:
        """Give all webhooks, without their secrets."""
        answer: list[dict[str, Json]] = self._call("list_webhooks")
        return answer


def _is_text(value: str) -> bool:
    """Whether a variable of the environment is UTF-8: what is not, no broker's setting is."""
    return not any("\udc80" <= letter <= "\udcff" for letter in value)


class BrokerSelectorBuilder:
    """Says which contracts a broker gives. It must be finished with ``build()``, which gives the verifier back.

    Every method gives the builder itself, so that calls can be chained. Without any ``consumer_version`` the broker chooses what
    is on main branches, deployed or released.
    """

    def __init__(self, verifier: Verifier, say: Callable[[str, Mapping[str, object]], object]) -> None:
        """Not to be called: builders come from ``Verifier.broker_source``."""
        self._verifier = verifier
        self._say = say

    def _said(self, call: str, **arguments: object) -> Self:
        self._say(call, arguments)
        return self

    def include_pending(self) -> Self:
        """Let contracts fail that the provider never honoured. Default: every failure counts."""
        return self._said("include_pending")

    def exclude_pending(self) -> Self:
        """Let every failure count."""
        return self._said("exclude_pending")

    def include_wip_since(self, date: str | datetime.date) -> Self:
        """Add contracts of other branches published since this date, which may fail.

        :param date: ``2026-01-31``, perhaps with a time, or a ``date`` or ``datetime``
        :raises ValueError: a text that is no date
        """
        return self._said("include_wip_since", date=date.isoformat() if isinstance(date, datetime.date) else date)

    def exclude_wip(self) -> Self:
        """Add none."""
        return self._said("exclude_wip")

    def provider_branch(self, branch: str) -> Self:
        """Set the provider's branch, by which pending and work in progress are told.

        Default: that of ``set_publish_options``.
        """
        return self._said("provider_branch", branch=branch)

    def provider_tags(self, *tags: str) -> Self:
        """Set the provider's tags, the older way to tell them. A repeated call replaces."""
        return self._said("provider_tags", tags=list(tags))

    def consumer_tags(self, *tags: str) -> Self:
        """Choose the newest consumer versions with each of these tags. A repeated call replaces."""
        return self._said("consumer_tags", tags=list(tags))

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
        """Choose versions of consumers for which all of this holds; several calls combine by "or".

        :param branch: the newest version of this branch; True for that of each branch
        :param deployed_or_released: versions that are one or the other
        :param main_branch: the newest version of each consumer's main branch
        :param consumer: of this consumer alone
        :param deployed: versions that are deployed
        :param environment: versions that are deployed or released in this environment
        :param released: versions that are released and supported
        :param matching_branch: the newest version of the branch that is called as the provider's
        :param fallback_branch: the branch to take where there is no such ``branch``
        :param tag: all versions with this tag; with ``latest`` the newest of them
        :param fallback_tag: the tag to take where there is none of ``tag``; needs ``latest``
        :param latest: the newest version: of all, or of those with ``tag``
        :raises ValueError: arguments that choose nothing, or exclude each other
        """
        selector = given(
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
        return self._said("consumer_version", selector=selector)

    def consumer_versions(self, *selectors: str) -> Self:
        """Choose versions by the JSON texts of selectors."""
        return self._said("consumer_versions", selectors=list(selectors))

    def build(self) -> Verifier:
        """End the builder; gives the verifier."""
        self._say("build", {})
        return self._verifier
