# Generated from the calls of the core by crates/contract/tests/types; do not edit.
"""The calls of ``Broker``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .broker_types import (
        VersionChoice,
        IgnoredVersion,
        DeploymentVerdict,
        DeploymentRecord,
        Environment,
        Pacticipant,
        PacticipantVersion,
        TaggedVersion,
        BrokerContract,
        RequestedState,
        Branch,
        Diagnosis,
        Deletion,
        WebhookEvent,
    )
    from .types import Json

__tracebackhide__ = True


class BrokerCalls:
    """Methods of ``Broker`` that pass their arguments through unchanged."""

    def _call(self, call: str, /, **arguments: object) -> Any:
        raise NotImplementedError

    def can_i_deploy(
        self,
        selectors: Sequence[VersionChoice],
        *,
        ignore: Sequence[IgnoredVersion] | None = None,
        to_environment: str | None = None,
        to: str | None = None,
        retry_while_unknown: int | None = None,
        retry_interval: int | None = None,
        wait: int | None = None,
        dry_run: bool | None = None,
        explain: bool | None = None,
        limit: int | None = None,
    ) -> DeploymentVerdict:
        """Check whether versions can be deployed. A negative verdict is a result, not an error.

        :param selectors: versions to deploy. At least one is required. If neither ``to_environment`` nor ``to`` is set, several versions are checked against each other, and a single version is checked against the latest versions of the other pacticipants
        :param ignore: pacticipants or versions whose results do not affect the verdict
        :param to_environment: name of the target environment. Mutually exclusive with ``to``
        :param to: checks against the latest versions with this tag. Mutually exclusive with ``to_environment``
        :param retry_while_unknown: maximum number of retries while the verdict is unknown. Default: 0
        :param retry_interval: time between retries in milliseconds. Default: 10000
        :param wait: maximum total time to wait for missing results in milliseconds. Overrides ``retry_while_unknown``
        :param dry_run: sets the flag ``dryRun`` in the result, so that callers ignore the verdict. Default: False
        :param explain: whether the result explains each integration that blocks the deployment: what is missing, since when, which team must act, and how. Default: False
        :param limit: maximum number of rows that the broker returns. If not set, the broker's own default applies
        """
        answer: DeploymentVerdict = self._call("can_i_deploy", selectors=selectors, ignore=ignore, to_environment=to_environment, to=to, retry_while_unknown=retry_while_unknown, retry_interval=retry_interval, wait=wait, dry_run=dry_run, explain=explain, limit=limit)
        return answer

    def can_i_merge(
        self,
        pacticipant: str,
        version: str,
        *,
        ignore: Sequence[IgnoredVersion] | None = None,
        retry_while_unknown: int | None = None,
        retry_interval: int | None = None,
        wait: int | None = None,
        dry_run: bool | None = None,
        explain: bool | None = None,
    ) -> DeploymentVerdict:
        """Check whether a version is compatible with the main branches of all pacticipants with which it has contracts. A negative verdict is a result, not an error.

        :param ignore: pacticipants or versions whose results do not affect the verdict
        :param retry_while_unknown: maximum number of retries while the verdict is unknown. Default: 0
        :param retry_interval: time between retries in milliseconds. Default: 10000
        :param wait: maximum total time to wait for missing results in milliseconds. Overrides ``retry_while_unknown``
        :param dry_run: sets the flag ``dryRun`` in the result, so that callers ignore the verdict. Default: False
        :param explain: whether the result explains each integration that blocks the merge: what is missing, since when, which team must act, and how. Default: False
        """
        answer: DeploymentVerdict = self._call("can_i_merge", pacticipant=pacticipant, version=version, ignore=ignore, retry_while_unknown=retry_while_unknown, retry_interval=retry_interval, wait=wait, dry_run=dry_run, explain=explain)
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
        """Create an environment. The broker assigns its UUID.

        :param name: the name, such as ``production``. Must not contain whitespace
        :param production: ``None`` means false when an environment is created
        """
        answer: Environment = self._call("create_environment", name=name, display_name=display_name, production=production, contact_name=contact_name, contact_email_address=contact_email_address)
        return answer

    def create_or_update_pacticipant(
        self,
        name: str,
        *,
        display_name: str | None = None,
        main_branch: str | None = None,
        repository_url: str | None = None,
    ) -> Pacticipant:
        """Create or update a pacticipant. Values that are not passed remain unchanged."""
        answer: Pacticipant = self._call("create_or_update_pacticipant", name=name, display_name=display_name, main_branch=main_branch, repository_url=repository_url)
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
        """Create or update a version. Adds it to a branch and adds tags, if they are passed. Values that are not passed remain unchanged."""
        answer: PacticipantVersion = self._call("create_or_update_version", pacticipant=pacticipant, version=version, branch=branch, tags=tags, build_url=build_url)
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
        signing_secret: str | None = None,
        consumer: str | None = None,
        consumer_label: str | None = None,
        provider: str | None = None,
        provider_label: str | None = None,
        description: str | None = None,
        team_uuid: str | None = None,
    ) -> dict[str, Json]:
        """Create or update the webhook with a given UUID.

        :param uuid: UUID of the webhook. Required by ``create_or_update_webhook``, and not supported by ``create_webhook``, because the broker assigns it
        :param url: URL of the request. May contain template parameters such as ``${pactbroker.consumerName}``
        :param events: names of the events that trigger the webhook, such as ``contract_published``. At least one is required
        :param method: HTTP method of the request. Default: ``POST``
        :param body: body of the request: any JSON value. A string that contains JSON is parsed, and other strings are sent unchanged
        :param signing_secret: the key with which the broker signs requests: ``whsec_`` followed by 24 to 64 bytes in base64. Only supported by this project's broker
        """
        answer: dict[str, Json] = self._call("create_or_update_webhook", uuid=uuid, url=url, events=events, method=method, headers=headers, body=body, username=username, password=password, signing_secret=signing_secret, consumer=consumer, consumer_label=consumer_label, provider=provider, provider_label=provider_label, description=description, team_uuid=team_uuid)
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
        """Add tags to a version. The version must exist unless ``auto_create_version`` is true.

        :param tag_with_git_branch: whether the name of the branch, which is detected from the CI system or git, is added as a tag. Default: False
        :param auto_create_version: whether the version is created if it does not exist. Default: False
        """
        answer: TaggedVersion = self._call("create_version_tag", pacticipant=pacticipant, version=version, tags=tags, tag_with_git_branch=tag_with_git_branch, auto_create_version=auto_create_version)
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
        signing_secret: str | None = None,
        consumer: str | None = None,
        consumer_label: str | None = None,
        provider: str | None = None,
        provider_label: str | None = None,
        description: str | None = None,
        team_uuid: str | None = None,
    ) -> dict[str, Json]:
        """Create a webhook, which makes the broker send a request when an event occurs. The broker assigns its UUID.

        :param url: URL of the request. May contain template parameters such as ``${pactbroker.consumerName}``
        :param events: names of the events that trigger the webhook, such as ``contract_published``. At least one is required
        :param method: HTTP method of the request. Default: ``POST``
        :param body: body of the request: any JSON value. A string that contains JSON is parsed, and other strings are sent unchanged
        :param signing_secret: the key with which the broker signs requests: ``whsec_`` followed by 24 to 64 bytes in base64. Only supported by this project's broker
        """
        answer: dict[str, Json] = self._call("create_webhook", url=url, events=events, method=method, headers=headers, body=body, username=username, password=password, signing_secret=signing_secret, consumer=consumer, consumer_label=consumer_label, provider=provider, provider_label=provider_label, description=description, team_uuid=team_uuid)
        return answer

    def delete_branch(
        self,
        pacticipant: str,
        branch: str,
        *,
        ignore_missing: bool | None = None,
    ) -> Deletion:
        """Delete a branch, but not its versions.

        :param ignore_missing: whether the operation succeeds if the branch does not exist. Default: False
        """
        answer: Deletion = self._call("delete_branch", pacticipant=pacticipant, branch=branch, ignore_missing=ignore_missing)
        return answer

    def delete_environment(self, uuid: str) -> Deletion:
        """Delete an environment with a given UUID. Fails if it does not exist."""
        answer: Deletion = self._call("delete_environment", uuid=uuid)
        return answer

    def delete_pacticipant(self, name: str) -> Deletion:
        """Delete a pacticipant with its versions, contracts, and results.

        :param name: name of the pacticipant
        """
        answer: Deletion = self._call("delete_pacticipant", name=name)
        return answer

    def delete_version_tag(self, pacticipant: str, version: str, tag: str) -> Deletion:
        """Remove a tag from a version. Fails if the version does not have the tag."""
        answer: Deletion = self._call("delete_version_tag", pacticipant=pacticipant, version=version, tag=tag)
        return answer

    def delete_webhook(self, uuid: str) -> Deletion:
        """Delete the webhook with a given UUID. Fails if it does not exist."""
        answer: Deletion = self._call("delete_webhook", uuid=uuid)
        return answer

    def describe_environment(self, uuid: str) -> Environment:
        """Return the environment with a given UUID."""
        answer: Environment = self._call("describe_environment", uuid=uuid)
        return answer

    def describe_pacticipant(self, name: str) -> Pacticipant:
        """Return the pacticipant with a given name.

        :param name: name of the pacticipant
        """
        answer: Pacticipant = self._call("describe_pacticipant", name=name)
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
        """Return a version of a pacticipant with its branches, tags, and environments. Default: the latest version.

        :param latest: selects the latest version: ``True`` selects the latest version overall, and a string selects the latest version with this tag. Mutually exclusive with ``version`` and ``environment``
        :param environment: selects the version in this environment. If there are several, selects the one that was recorded last. Mutually exclusive with ``version`` and ``latest``
        :param deployed: with ``environment``, considers only deployed versions, unless ``released`` is true as well. Default: False
        :param released: with ``environment``, considers only released versions, unless ``deployed`` is true as well. Default: False
        """
        answer: PacticipantVersion = self._call("describe_version", pacticipant=pacticipant, version=version, latest=latest, environment=environment, deployed=deployed, released=released)
        return answer

    def doctor(self) -> Diagnosis:
        """Check whether the broker can be reached, and whether the credentials can read and write. A failed check is a result, not an error."""
        answer: Diagnosis = self._call("doctor")
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
        """List a provider's contracts. With ``download``, also writes them to files.

        :param latest: whether only the latest contract of each consumer is listed. Default: False
        :param download: whether the listed contracts are written to files. Default: False
        :param download_dir: directory for the files, if ``download`` is true. Default: ``pacts``
        """
        answer: list[BrokerContract] = self._call("get_contracts", provider=provider, consumer=consumer, branch=branch, latest=latest, download=download, download_dir=download_dir)
        return answer

    def list_branches(self, pacticipant: str) -> list[Branch]:
        """List the branches of a pacticipant."""
        answer: list[Branch] = self._call("list_branches", pacticipant=pacticipant)
        return answer

    def list_environments(self) -> list[Environment]:
        """List all environments."""
        answer: list[Environment] = self._call("list_environments")
        return answer

    def list_latest_contracts(self) -> list[BrokerContract]:
        """List the latest contract between each consumer and provider."""
        answer: list[BrokerContract] = self._call("list_latest_contracts")
        return answer

    def list_pacticipants(self) -> list[Pacticipant]:
        """List all pacticipants."""
        answer: list[Pacticipant] = self._call("list_pacticipants")
        return answer

    def list_webhooks(self) -> list[dict[str, Json]]:
        """List all webhooks. The list does not contain secrets."""
        answer: list[dict[str, Json]] = self._call("list_webhooks")
        return answer

    def provider_states(
        self,
        provider: str,
        *,
        branch: str | None = None,
        environment: str | None = None,
    ) -> list[RequestedState]:
        """List the provider states that consumers use in their contracts with a provider.

        :param branch: considers only the contracts on this branch of each consumer. Mutually exclusive with ``environment``
        :param environment: considers only the contracts of consumer versions in this environment. Mutually exclusive with ``branch``
        """
        answer: list[RequestedState] = self._call("provider_states", provider=provider, branch=branch, environment=environment)
        return answer

    def record_deployment(
        self,
        pacticipant: str,
        version: str,
        environment: str,
        *,
        application_instance: str | None = None,
    ) -> DeploymentRecord:
        """Record a deployment to an environment. Ends the previous deployment of the same application instance.

        :param environment: name of the environment to which the version was deployed
        :param application_instance: name of the application instance. Required only if several instances run in the environment
        """
        answer: DeploymentRecord = self._call("record_deployment", pacticipant=pacticipant, version=version, environment=environment, application_instance=application_instance)
        return answer

    def record_release(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record the release of a version in an environment. Other released versions remain supported.

        :param environment: name of the environment in which the version is released
        """
        answer: DeploymentRecord = self._call("record_release", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def record_support_ended(self, pacticipant: str, version: str, environment: str) -> DeploymentRecord:
        """Record that a released version is no longer supported in an environment.

        :param environment: name of the environment in which the version is released
        """
        answer: DeploymentRecord = self._call("record_support_ended", pacticipant=pacticipant, version=version, environment=environment)
        return answer

    def record_undeployment(
        self,
        pacticipant: str,
        environment: str,
        *,
        application_instance: str | None = None,
    ) -> DeploymentRecord:
        """Record that a pacticipant is no longer deployed to an environment.

        :param environment: name of the environment from which the pacticipant was removed
        :param application_instance: name of the application instance, as passed to ``record_deployment``. Omit it if the deployment has none
        """
        answer: DeploymentRecord = self._call("record_undeployment", pacticipant=pacticipant, environment=environment, application_instance=application_instance)
        return answer

    def test_webhook(self, uuid: str) -> dict[str, Json]:
        """Make the broker send a webhook's request now, as a test. Returns the broker's response."""
        answer: dict[str, Json] = self._call("test_webhook", uuid=uuid)
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
        """Update the environment with a given UUID or name. Values that are not passed remain unchanged.

        :param uuid: UUID of the environment to update. Ignored when an environment is created, because the broker assigns the UUID
        :param name: the name, such as ``production``. Must not contain whitespace
        :param production: ``None`` means false when an environment is created
        """
        answer: Environment = self._call("update_environment", uuid=uuid, name=name, display_name=display_name, production=production, contact_name=contact_name, contact_email_address=contact_email_address)
        return answer
