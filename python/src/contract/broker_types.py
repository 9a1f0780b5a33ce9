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
    """Selects versions of a pacticipant. Set at most one of the other members; without them, all versions are selected."""

    pacticipant: str
    version: NotRequired[str]
    latest: NotRequired[Literal[True] | str]
    """Selects the latest version: ``True`` selects the latest version overall, and a string selects the latest version
    with this tag.
    """
    tag: NotRequired[str]
    """Selects all versions with this tag."""
    branch: NotRequired[str]
    """Selects the latest version on this branch."""
    main_branch: NotRequired[Literal[True]]
    """Whether to select the latest version on the main branch. Default: False."""


class IgnoredVersion(TypedDict):
    """A pacticipant whose results do not affect the verdict. If ``version`` is set, only the results of this version are
    ignored.
    """

    pacticipant: str
    version: NotRequired[str]


class DetectedBuild(TypedDict):
    """The values that were detected. A member is absent if it was not detected or did not need to be."""

    version: NotRequired[Detected]
    branch: NotRequired[Detected]
    buildUrl: NotRequired[Detected]


class PublishedContract(TypedDict):
    """A contract that was published, or that would be published without ``dry_run``."""

    url: str | None
    """The URL of the contract in the broker, or ``None`` with ``dry_run`` or if the broker did not return it."""
    outcome: NotRequired[Literal["created", "unchanged", "merged", "conflict"]]
    """What publishing the contract would do. Only present with ``dry_run``."""
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
    """The result of ``publish``: what was published, with the detected values and warnings."""

    dryRun: bool
    detected: DetectedBuild
    """The values that were detected because of ``auto_detect``."""
    warnings: list[str]
    """Warnings, for example about JSON files that are not contracts."""
    consumers: list[PublishedConsumer]


class VerdictSide(TypedDict):
    """The consumer or the provider of a row, with its version."""

    name: str
    version: str | None
    """``None`` if no selected version has a result for the contract."""
    branches: list[str]
    environments: list[str]
    """Names of the environments that the version is deployed to or released in."""


class VerdictRow(TypedDict):
    """A consumer version and a provider version, with the verification result between them."""

    consumer: VerdictSide
    provider: VerdictSide
    """Its version is ``None`` if no selected provider version has a result for the contract."""
    success: bool | None
    """Whether the verification passed. ``None`` if there is no result."""
    verifiedAt: str | None
    """Time of the verification in ISO 8601 format. ``None`` if there is no result."""
    resultUrl: str | None
    publishedAt: str | None
    """Time at which the contract was published, in ISO 8601 format. ``None`` if the broker did not send it."""
    contractUrl: str | None
    ignored: bool
    """True if the row does not affect the verdict, because the query ignores its version."""


class VerdictExplanation(TypedDict):
    """The reason why an integration blocks a deployment."""

    consumer: NotRequired[str]
    consumerVersion: NotRequired[str | None]
    provider: NotRequired[str]
    providerVersions: NotRequired[list[str]]
    """The affected provider versions."""
    resultUrl: NotRequired[str | None]
    problem: Literal["failed", "unverified", "not_deployed", "unknown"]
    """``failed``, ``unverified``, ``not_deployed``, or ``unknown``. With ``unknown``, only the broker's own reason is available."""
    missing: str
    """What is missing, such as a result or a deployed version, in words."""
    since: str | None
    """The time at which the verification failed or the contract was published, in ISO 8601 format, or ``None`` if it is
    unknown.
    """
    who: str | None
    """The name of the application whose team must act, or ``None`` if it is unknown."""
    command: str | None
    """A command that resolves the problem, or ``None`` if there is none."""
    text: str
    """The whole explanation as one sentence."""


class DeploymentVerdict(TypedDict):
    """The verdict of ``can_i_deploy`` or ``can_i_merge``."""

    deployable: bool | None
    """Whether the versions can be deployed. ``None`` if the verdict is unknown because results are missing."""
    reason: str
    """The explanation that the broker returned."""
    success: int
    """Number of required verifications that passed."""
    failed: int
    """Number of required verifications that failed."""
    unknown: int
    """Number of required verifications without a result."""
    rows: list[VerdictRow]
    notices: list[BrokerNotice]
    asked: int
    """Number of times that the verdict was requested, including retries."""
    dryRun: bool
    broker: str
    """Base URL of the broker."""
    explanation: NotRequired[list[VerdictExplanation]]
    """The reasons why the deployment is blocked. Only present with ``explain``. Empty if it is not blocked."""


class DeploymentRecord(TypedDict):
    """A deployment or a release, as the broker recorded it."""

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
    """A person or team that is responsible for an environment."""

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
    """True if the pacticipant was created, and false if it was updated. Only present in results of
    ``create_or_update_pacticipant``.
    """


class VersionBranch(TypedDict):
    """A branch on which a version is. ``latest`` is true if the version is the head of the branch."""

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
    """Display names of the environments to which the version is currently deployed."""
    releasedTo: list[str]
    """Names of the environments in which the version is released and still supported."""
    createdAt: str
    updatedAt: NotRequired[str]


class TaggedVersion(TypedDict):
    """A version and the tags that were added to it."""

    pacticipant: str
    version: str
    tags: list[str]


class BrokerContract(TypedDict):
    """A contract in the broker, without its content."""

    consumer: str
    consumerVersion: str | None
    provider: str
    url: str
    createdAt: NotRequired[str]
    """Time of publication in ISO 8601 format. Only present in results of ``list_latest_contracts``."""
    file: NotRequired[str]
    """Path of the file to which the contract was downloaded. Only present with ``download``."""


class RequestedState(TypedDict):
    """A provider state that consumers use in their contracts."""

    name: str
    params: NotRequired[Json]
    consumers: NotRequired[list[str]]


class Branch(TypedDict):
    """A branch of a pacticipant."""

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
    """The result of ``doctor``, which checks the connection to a broker."""

    broker: str
    """Base URL of the broker."""
    product: str | None
    """Name of the broker software and its version if known, or ``None`` if the broker did not return them."""
    credentials: str
    """The kind of credentials that were used, for example a token or basic authentication."""
    ok: bool
    """Whether all checks passed."""
    checks: list[Check]


class Deletion(TypedDict):
    """The result of an operation that deletes something."""

    deleted: bool
    """True if the resource was deleted. False only if it did not exist and ``ignore_missing`` is true."""


WebhookEvent = Literal["contract_content_changed", "contract_published", "contract_requiring_verification_published", "contract_verification_overdue", "provider_verification_published", "provider_verification_failed", "provider_verification_succeeded"]
"""An event that triggers a webhook."""
