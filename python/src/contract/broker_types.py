"""Shapes of what brokers are asked and what they answer: plain data, as JSON has it, under the names of the broker's own documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import NotRequired

    from .types import BrokerNotice, Json


class VersionChoice(TypedDict, total=False):
    """Versions of a pacticipant: ``pacticipant``, and one of the ways to say which."""

    pacticipant: str
    version: str
    latest: Literal[True] | str
    """True: the latest. A text: the latest with this tag."""
    tag: str
    """Every version with this tag."""
    branch: str
    """The latest version on this branch."""
    main_branch: Literal[True]
    """The latest version on the main branch."""


class IgnoredVersion(TypedDict):
    """What does not count in a verdict."""

    pacticipant: str
    version: NotRequired[str]


Detected = TypedDict("Detected", {"value": str, "from": str})
"""A value that was found, and where: a variable, or a command of git."""


class DetectedBuild(TypedDict, total=False):
    """What was found of the build."""

    version: Detected
    branch: Detected
    buildUrl: Detected


class PublishedContract(TypedDict):
    """A contract that was published, or would be."""

    provider: str
    files: list[str]
    url: str | None
    """Where it is, if the broker says so."""
    outcome: NotRequired[Literal["created", "unchanged", "merged", "conflict"]]
    """With ``dry_run``: what would come of it."""


class PublishedConsumer(TypedDict):
    """The contracts of one consumer that were published, or would be."""

    consumer: str
    version: str
    branch: str | None
    tags: list[str]
    buildUrl: str | None
    contracts: list[PublishedContract]
    notices: list[BrokerNotice]


class PublishedContracts(TypedDict):
    """What was published, or would be."""

    dryRun: bool
    detected: DetectedBuild
    warnings: list[str]
    """What is worth a look, such as files that are no contracts."""
    consumers: list[PublishedConsumer]


class VerdictSide(TypedDict):
    """One side of a pair of versions."""

    name: str
    version: str | None
    """None when none of the versions asked for has a result."""
    branches: list[str]
    environments: list[str]


class VerdictRow(TypedDict):
    """A pair of versions, and what came out between them. Times are in ISO 8601."""

    consumer: VerdictSide
    provider: VerdictSide
    success: bool | None
    """None when there is no result."""
    verifiedAt: str | None
    resultUrl: str | None
    publishedAt: str | None
    contractUrl: str | None
    ignored: bool


class VerdictExplanation(TypedDict):
    """Why a pair stands in the way."""

    problem: Literal["failed", "unverified", "not_deployed", "unknown"]
    """``unknown``: only the broker's own words tell."""
    consumer: NotRequired[str]
    consumerVersion: NotRequired[str | None]
    provider: NotRequired[str]
    providerVersions: NotRequired[list[str]]
    missing: str
    """What is missing."""
    since: str | None
    """Since when: ISO 8601."""
    who: str | None
    """Whose team must act."""
    command: str | None
    """What they would run."""
    resultUrl: NotRequired[str | None]
    text: str
    """All of it in a sentence."""


class DeploymentVerdict(TypedDict):
    """May it be deployed?"""

    deployable: bool | None
    """None: not known, for results are missing."""
    reason: str
    """Why, in the broker's words."""
    success: int
    """Pairs with a good result."""
    failed: int
    """Pairs with a bad one."""
    unknown: int
    """Pairs with none."""
    asked: int
    """How often the broker was asked."""
    dryRun: bool
    broker: str
    """The broker's base URL."""
    rows: list[VerdictRow]
    notices: list[BrokerNotice]
    explanation: NotRequired[list[VerdictExplanation]]
    """With ``explain``, for each pair that stands in the way."""


class DeploymentRecord(TypedDict):
    """That a version is in an environment, or is there no more."""

    uuid: str
    pacticipant: str
    version: str
    environment: str
    applicationInstance: NotRequired[str]
    currentlyDeployed: NotRequired[bool]
    currentlySupported: NotRequired[bool]
    createdAt: str


class Contact(TypedDict):
    """Who answers for an environment."""

    name: str
    details: NotRequired[Mapping[str, str]]


class Environment(TypedDict):
    """Where versions are deployed to."""

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
    """Whether it was made just now; of ``create_or_update_pacticipant``."""


class VersionBranch(TypedDict):
    """A branch that a version is on."""

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
    """The environments that it is deployed to now, as people call them."""
    releasedTo: list[str]
    """The environments that it is released to and supported in."""
    createdAt: str
    updatedAt: NotRequired[str]


class TaggedVersion(TypedDict):
    """A version that was given tags."""

    pacticipant: str
    version: str
    tags: list[str]


class BrokerContract(TypedDict):
    """A contract at the broker."""

    consumer: str
    consumerVersion: str | None
    provider: str
    url: str
    createdAt: NotRequired[str]
    """In the list of the latest."""
    file: NotRequired[str]
    """Where it was written to, when it was downloaded."""


class RequestedState(TypedDict):
    """A provider state that consumers ask for."""

    name: str
    params: NotRequired[Json]
    consumers: NotRequired[list[str]]


class Branch(TypedDict):
    """A branch of a pacticipant."""

    name: str
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class Check(TypedDict):
    """One thing that ``doctor`` tried."""

    name: Literal["reach", "read", "write", "publishing"]
    ok: bool
    text: str
    kind: NotRequired[str]


class Diagnosis(TypedDict):
    """What ``doctor`` found out."""

    broker: str
    """The broker's base URL."""
    product: str | None
    """What answers, as far as it says so."""
    credentials: str
    """Which kind of credentials is used."""
    ok: bool
    """Whether all is well."""
    checks: list[Check]


class Deletion(TypedDict):
    """Whether what was to go was there."""

    deleted: bool


WebhookEvent = Literal[
    "contract_content_changed",
    "contract_published",
    "contract_requiring_verification_published",
    "provider_verification_published",
    "provider_verification_failed",
    "provider_verification_succeeded",
]
"""What makes a webhook go."""
