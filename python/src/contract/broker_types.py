# Generated from the types of the core by crates/contract/tests/types; do not edit.
"""Types of the arguments and results of ``Broker``. Results are plain JSON data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from .types import BrokerNotice, Json

Detected = TypedDict("Detected", {"value": str, "from": str})
"""A detected value and its source: an environment variable or a git command."""


class VersionChoice(TypedDict):
    """Selects versions of a pacticipant. Set exactly one other member in addition to ``pacticipant``."""

    pacticipant: str
    version: NotRequired[str]
    latest: NotRequired[Literal[True] | str]
    """Selects the latest version. ``True`` selects the latest version overall, and a string selects the latest version
    with this tag.
    """
    tag: NotRequired[str]
    """Selects all versions with this tag."""
    branch: NotRequired[str]
    """Selects the latest version on this branch."""
    main_branch: NotRequired[Literal[True]]
    """Selects the latest version on the main branch."""


class IgnoredVersion(TypedDict):
    """A pacticipant, or one of its versions, whose results do not affect the verdict."""

    pacticipant: str
    version: NotRequired[str]


class DetectedBuild(TypedDict):
    """The detected values of a build."""

    version: NotRequired[Detected]
    branch: NotRequired[Detected]
    buildUrl: NotRequired[Detected]


class PublishedContract(TypedDict):
    """A contract that was published, or that would be published without ``dry_run``."""

    url: str | None
    """The URL of the contract, if the broker returned it."""
    outcome: NotRequired[Literal["created", "unchanged", "merged", "conflict"]]
    """The expected outcome. Only present with ``dry_run``."""
    provider: str
    files: list[str]


class PublishedConsumer(TypedDict):
    """The published contracts of one consumer."""

    consumer: str
    version: str
    branch: str | None
    tags: list[str]
    buildUrl: str | None
    contracts: list[PublishedContract]
    notices: list[BrokerNotice]


class PublishedContracts(TypedDict):
    """The result of ``publish``."""

    dryRun: bool
    detected: DetectedBuild
    """Values that were detected, with their sources."""
    warnings: list[str]
    """Warnings, for example about files that are not contracts."""
    consumers: list[PublishedConsumer]


class VerdictSide(TypedDict):
    """The consumer or provider version of a row."""

    name: str
    version: str | None
    """The version number, or ``None`` if none of the selected versions has a result."""
    branches: list[str]
    environments: list[str]
    """The environments that the version is deployed or released to."""


class VerdictRow(TypedDict):
    """A consumer version and a provider version, with the verification result."""

    consumer: VerdictSide
    provider: VerdictSide
    """The provider. Has no version if none of the selected versions has a result."""
    success: bool | None
    """Whether the provider satisfies the contract; ``None`` without a result."""
    verifiedAt: str | None
    """Time of the verification in ISO 8601 format."""
    resultUrl: str | None
    publishedAt: str | None
    """Time at which the contract was published, in ISO 8601 format."""
    contractUrl: str | None
    ignored: bool
    """True if the row does not affect the verdict."""


class VerdictExplanation(TypedDict):
    """The reason why an integration blocks the deployment."""

    consumer: NotRequired[str]
    consumerVersion: NotRequired[str | None]
    provider: NotRequired[str]
    providerVersions: NotRequired[list[str]]
    """The affected provider versions."""
    resultUrl: NotRequired[str | None]
    problem: Literal["failed", "unverified", "not_deployed", "unknown"]
    """The kind of problem. ``unknown`` means that only the broker's reason is available."""
    missing: str
    """The missing result or version."""
    since: str | None
    """The time at which the problem started, in ISO 8601 format."""
    who: str | None
    """The name of the application whose team must act."""
    command: str | None
    """The command that resolves the problem."""
    text: str
    """The explanation as a sentence."""


class DeploymentVerdict(TypedDict):
    """The verdict of ``can_i_deploy`` and ``can_i_merge``."""

    deployable: bool | None
    """Whether the version can be deployed. ``None`` if results are missing."""
    reason: str
    """The reason that the broker returned."""
    success: int
    """Number of integrations that were verified successfully."""
    failed: int
    """Number of integrations with a failed verification."""
    unknown: int
    """Number of integrations without a result."""
    rows: list[VerdictRow]
    notices: list[BrokerNotice]
    asked: int
    """Number of requests for the verdict."""
    dryRun: bool
    broker: str
    """Base URL of the broker."""
    explanation: NotRequired[list[VerdictExplanation]]
    """One entry for each blocking integration. Only present with ``explain``."""


class DeploymentRecord(TypedDict):
    """A deployment or release of a version, as the broker recorded it."""

    uuid: str
    pacticipant: str
    version: str
    environment: str
    applicationInstance: NotRequired[str]
    currentlyDeployed: NotRequired[bool]
    currentlySupported: NotRequired[bool]
    createdAt: str
    """Time at which the deployment or release was recorded, in ISO 8601 format."""


class Contact(TypedDict):
    """A person or team to contact about an environment."""

    name: str
    details: NotRequired[dict[str, str]]


class Environment(TypedDict):
    """A deployment environment in the broker, such as ``production``."""

    uuid: str
    name: str
    displayName: str
    production: bool
    contacts: NotRequired[list[Contact]]
    createdAt: str
    updatedAt: NotRequired[str]


class Pacticipant(TypedDict):
    """An application that has contracts with other applications."""

    name: str
    displayName: NotRequired[str]
    mainBranch: NotRequired[str]
    repositoryUrl: NotRequired[str]
    createdAt: str
    updatedAt: NotRequired[str]
    created: NotRequired[bool]
    """Whether the pacticipant was created. Only present in results of ``create_or_update_pacticipant``."""


class VersionBranch(TypedDict):
    """A branch that contains a version."""

    name: str
    latest: bool


class PacticipantVersion(TypedDict):
    """A version of a pacticipant with its branches, tags, and environments."""

    pacticipant: str
    number: str
    buildUrl: NotRequired[str]
    branches: list[VersionBranch]
    tags: list[str]
    deployedTo: list[str]
    """Display names of the environments in which the version is deployed."""
    releasedTo: list[str]
    """Names of the environments in which the version is released and supported."""
    createdAt: str
    updatedAt: NotRequired[str]


class TaggedVersion(TypedDict):
    """A version and the tags that were added to it."""

    pacticipant: str
    version: str
    tags: list[str]


class BrokerContract(TypedDict):
    """A contract that was published to the broker. Does not include the content."""

    consumer: str
    consumerVersion: str | None
    provider: str
    url: str
    createdAt: NotRequired[str]
    """Time of publication in ISO 8601 format. Only present in the list of latest contracts."""
    file: NotRequired[str]
    """Path of the file that the contract was written to."""


class RequestedState(TypedDict):
    """A provider state that consumers use."""

    name: str
    params: NotRequired[Json]
    consumers: NotRequired[list[str]]


class Branch(TypedDict):
    """A branch of a pacticipant, as listed by the broker."""

    name: str
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class Check(TypedDict):
    """The result of one of the checks that ``doctor`` runs."""

    name: Literal["reach", "read", "write", "publishing"]
    ok: bool
    text: str
    kind: NotRequired[str]


class Diagnosis(TypedDict):
    """The result of ``doctor``."""

    broker: str
    """Base URL of the broker."""
    product: str | None
    """Name of the broker product, if the broker returned it."""
    credentials: str
    """Kind of credentials that were used."""
    ok: bool
    """Whether all checks passed."""
    checks: list[Check]


class Deletion(TypedDict):
    """The result of a deletion."""

    deleted: bool
    """Whether the resource was deleted. False if it did not exist."""


WebhookEvent = Literal["contract_content_changed", "contract_published", "contract_requiring_verification_published", "contract_verification_overdue", "provider_verification_published", "provider_verification_failed", "provider_verification_succeeded"]
"""An event that triggers a webhook."""
