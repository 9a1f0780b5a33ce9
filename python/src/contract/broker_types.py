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
    """Selects versions of a pacticipant. Use exactly one member in addition to ``pacticipant``."""

    pacticipant: str
    version: NotRequired[str]
    latest: NotRequired[Literal[True] | str]
    """``True``: the latest version. A string: the latest version with this tag."""
    tag: NotRequired[str]
    """Every version with this tag."""
    branch: NotRequired[str]
    """The latest version on this branch."""
    main_branch: NotRequired[Literal[True]]
    """The latest version on the main branch."""


class IgnoredVersion(TypedDict):
    """A pacticipant, or one of its versions, to ignore in a verdict."""

    pacticipant: str
    version: NotRequired[str]


class DetectedBuild(TypedDict):
    """Detected values of the build."""

    version: NotRequired[Detected]
    branch: NotRequired[Detected]
    buildUrl: NotRequired[Detected]


class PublishedContract(TypedDict):
    """A contract that was published, or would be published with ``dry_run``."""

    url: str | None
    """The URL of the contract, if the broker returned it."""
    outcome: NotRequired[Literal["created", "unchanged", "merged", "conflict"]]
    """With ``dry_run``: the expected outcome."""
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
    """Values that were detected, and their sources."""
    warnings: list[str]
    """Warnings, for example about files that are not contracts."""
    consumers: list[PublishedConsumer]


class VerdictSide(TypedDict):
    """The consumer or provider version of a row."""

    name: str
    version: str | None
    """``None`` if none of the selected versions has a result."""
    branches: list[str]
    environments: list[str]
    """The environments that the version is deployed or released to."""


class VerdictRow(TypedDict):
    """A consumer version and a provider version, with the verification result."""

    consumer: VerdictSide
    provider: VerdictSide
    """Without a version if none of the selected ones has a result."""
    success: bool | None
    """Whether the provider satisfies the contract; ``None`` without a result."""
    verifiedAt: str | None
    """ISO 8601"""
    resultUrl: str | None
    publishedAt: str | None
    """ISO 8601"""
    contractUrl: str | None
    ignored: bool
    """Whether the row does not affect the answer."""


class VerdictExplanation(TypedDict):
    """Explains why an integration blocks the deployment."""

    consumer: NotRequired[str]
    consumerVersion: NotRequired[str | None]
    provider: NotRequired[str]
    providerVersions: NotRequired[list[str]]
    """The affected provider versions."""
    resultUrl: NotRequired[str | None]
    problem: Literal["failed", "unverified", "not_deployed", "unknown"]
    """``unknown``: only the broker's reason is available."""
    missing: str
    """What is missing."""
    since: str | None
    """The start of the problem, as ISO 8601."""
    who: str | None
    """The application whose team must act."""
    command: str | None
    """The command to run."""
    text: str
    """The explanation as a sentence."""


class DeploymentVerdict(TypedDict):
    """The verdict of ``can_i_deploy`` and ``can_i_merge``."""

    deployable: bool | None
    """``None`` if results are missing."""
    reason: str
    """The broker's reason."""
    success: int
    """Number of pairs that were verified successfully."""
    failed: int
    """Number of pairs that failed."""
    unknown: int
    """Number of pairs without a result."""
    rows: list[VerdictRow]
    notices: list[BrokerNotice]
    asked: int
    """Number of requests to the broker."""
    dryRun: bool
    broker: str
    """The broker's base URL."""
    explanation: NotRequired[list[VerdictExplanation]]
    """With ``explain``: one entry for each blocking integration."""


class DeploymentRecord(TypedDict):
    """A deployment or release."""

    uuid: str
    pacticipant: str
    version: str
    environment: str
    applicationInstance: NotRequired[str]
    currentlyDeployed: NotRequired[bool]
    currentlySupported: NotRequired[bool]
    createdAt: str
    """ISO 8601"""


class Contact(TypedDict):
    """A contact of an environment."""

    name: str
    details: NotRequired[dict[str, str]]


class Environment(TypedDict):
    """An environment."""

    uuid: str
    name: str
    displayName: str
    production: bool
    contacts: NotRequired[list[Contact]]
    createdAt: str
    updatedAt: NotRequired[str]


class Pacticipant(TypedDict):
    """An application that has contracts with others."""

    name: str
    displayName: NotRequired[str]
    mainBranch: NotRequired[str]
    repositoryUrl: NotRequired[str]
    createdAt: str
    updatedAt: NotRequired[str]
    created: NotRequired[bool]
    """Whether it was created; only from ``create_or_update_pacticipant``."""


class VersionBranch(TypedDict):
    """A branch of a version."""

    name: str
    latest: bool


class PacticipantVersion(TypedDict):
    """A version of a pacticipant."""

    pacticipant: str
    number: str
    buildUrl: NotRequired[str]
    branches: list[VersionBranch]
    tags: list[str]
    deployedTo: list[str]
    """Display names of the environments in which it is deployed."""
    releasedTo: list[str]
    """Environments in which it is released and supported."""
    createdAt: str
    updatedAt: NotRequired[str]


class TaggedVersion(TypedDict):
    """A version and its added tags."""

    pacticipant: str
    version: str
    tags: list[str]


class BrokerContract(TypedDict):
    """A contract in the broker."""

    consumer: str
    consumerVersion: str | None
    provider: str
    url: str
    createdAt: NotRequired[str]
    """Date of publication as ISO 8601; only in the list of latest contracts."""
    file: NotRequired[str]
    """The file that it was downloaded to."""


class RequestedState(TypedDict):
    """A provider state that consumers use."""

    name: str
    params: NotRequired[Json]
    consumers: NotRequired[list[str]]


class Branch(TypedDict):
    """A branch of a pacticipant."""

    name: str
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class Check(TypedDict):
    """A check of ``doctor``."""

    name: Literal["reach", "read", "write", "publishing"]
    ok: bool
    text: str
    kind: NotRequired[str]


class Diagnosis(TypedDict):
    """The result of ``doctor``."""

    broker: str
    """The broker's base URL."""
    product: str | None
    """The product, if the broker names it."""
    credentials: str
    """The kind of credentials used."""
    ok: bool
    """Whether all checks passed."""
    checks: list[Check]


class Deletion(TypedDict):
    """The result of a deletion."""

    deleted: bool
    """False if the resource did not exist."""


WebhookEvent = Literal["contract_content_changed", "contract_published", "contract_requiring_verification_published", "provider_verification_published", "provider_verification_failed", "provider_verification_succeeded"]
"""An event that triggers a webhook."""
