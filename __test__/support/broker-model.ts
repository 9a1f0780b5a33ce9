// A model of the rules of the Pact Broker: which versions exist, which contracts a provider verifies, and which versions can be
// deployed. It stores the whole history in lists and examines all of it for each question. Where the broker intentionally
// differs from the Pact Broker (docs/decisions/0017-broker-deviations.md), a comment says "Deviation".

export interface VersionSelector {
  readonly version?: string
  readonly latest?: true
  readonly tag?: string
  readonly branch?: string
  readonly mainBranch?: true
  readonly environment?: string
}

export interface MatrixSelector extends VersionSelector {
  readonly pacticipant: string
}

export interface MatrixQuery {
  readonly selectors: readonly MatrixSelector[]
  readonly ignore: readonly MatrixSelector[]
  /** The versions of applications that no selector names. */
  readonly destination?: VersionSelector
  readonly latestby?: 'cvp' | 'cvpv'
  readonly success: readonly (boolean | null)[]
}

export interface MatrixAnswer {
  readonly deployable: boolean | null
  readonly success: number
  readonly failed: number
  readonly unknown: number
  readonly ignored: number
  /** In order: `consumer version provider version result`, with `ignored` at the end of ignored rows. */
  readonly rows: readonly string[]
}

export interface ConsumerSelector {
  readonly consumer?: string
  readonly mainBranch?: true
  readonly matchingBranch?: true
  readonly branch?: string | true
  readonly fallbackBranch?: string
  readonly fallbackToMainBranch?: true
  readonly tag?: string
  readonly fallbackTag?: string
  readonly latest?: true
  readonly deployed?: true
  readonly released?: true
  readonly deployedOrReleased?: true
  readonly environment?: string
}

export interface VerificationRequest {
  readonly consumerVersionSelectors?: readonly ConsumerSelector[]
  readonly providerVersionBranch?: string
  readonly providerVersionTags?: readonly string[]
  readonly includePendingStatus?: boolean
  readonly includeWipPactsSince?: string
}

export interface ContractToVerify {
  readonly consumer: string
  readonly version: string
  readonly content: string
  readonly pending?: boolean
  readonly wip?: true
}

interface Version {
  readonly app: string
  readonly number: string
  /** Versions are ordered by when they were first created. */
  readonly order: number
}

interface Publication {
  readonly version: Version
  readonly provider: string
  readonly content: string
  readonly revision: number
  /** Milliseconds since 1970; used to select work in progress. */
  readonly at: number
}

interface Result {
  readonly consumer: string
  readonly content: string
  readonly version: Version
  readonly success: boolean
  readonly wip: boolean
  /** Results are numbered in the order in which they were published, and compared with branches and tags by this order. */
  readonly order: number
}

interface Branch {
  readonly app: string
  readonly name: string
  readonly order: number
  /** In the order in which they were added. The last one is the head. */
  versions: Version[]
}

interface Tag {
  readonly version: Version
  readonly name: string
  readonly order: number
}

interface Presence {
  readonly version: Version
  readonly environment: string
  /** The application instance of a deployment, or `null` for a release. */
  readonly instance: string | null
}

interface Row {
  readonly publication: Publication
  readonly result: Result | undefined
}

/** A provider branch or tag for which contracts are pending, and when it was first used. */
interface Scope {
  readonly kind: 'branch' | 'tag' | 'any'
  readonly name: string
  readonly since: number
}

const MAIN_BRANCHES = ['develop', 'main', 'master']
const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]
const newest = <T extends { order: number }>(items: readonly T[]): T | undefined =>
  items.reduce<T | undefined>((best, item) => (best === undefined || item.order > best.order ? item : best), undefined)
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Contents are the sorted numbers of their interactions, such as `0+2`. A merge contains the interactions of both. */
export const merged = (a: string, b: string) =>
  unique([...a.split('+'), ...b.split('+')])
    .sort()
    .join('+')

export class BrokerModel {
  readonly #environments: readonly string[]
  readonly #contractsMayChange: boolean
  #clock = 0
  #mainBranches = new Map<string, string>()
  #integrations = new Set<string>()
  #versions: Version[] = []
  #branches: Branch[] = []
  #tags: Tag[] = []
  #publications: Publication[] = []
  #results: Result[] = []
  #present: Presence[] = []

  constructor(environments: readonly string[], contractsMayChange: boolean) {
    this.#environments = environments
    this.#contractsMayChange = contractsMayChange
  }

  // Changes. Each returns whether the broker accepts it.

  publish(
    app: string,
    number: string,
    contracts: readonly { provider: string; content: string; merge: boolean }[],
    { branch, tags = [], at }: { branch?: string | undefined; tags?: readonly string[]; at: number },
  ): boolean {
    const before = (provider: string) =>
      this.#current().find(
        (one) => one.version.app === app && one.version.number === number && one.provider === provider,
      )
    const rejected = contracts.some(({ provider, content, merge }) => {
      const published = before(provider)
      return published && published.content !== content && !merge && !this.#contractsMayChange
    })
    if (rejected) return false
    const version = this.#createVersion(app, number)
    if (branch !== undefined) this.addToBranch(app, number, branch)
    for (const tag of tags) this.#addTag(app, number, tag)
    for (const { provider, content, merge } of contracts) {
      this.#integrations.add(`${app}/${provider}`)
      const published = before(provider)
      const result = published && merge ? merged(published.content, content) : content
      if (published?.content === result) continue
      this.#publications.push({ version, provider, content: result, revision: (published?.revision ?? 0) + 1, at })
    }
    return true
  }

  verify(consumer: string, provider: string, content: string, number: string, success: boolean, wip: boolean): void {
    const version = this.#createVersion(provider, number)
    this.#results.push({ consumer, content, version, success, wip, order: this.#clock++ })
  }

  addToBranch(app: string, number: string, name: string): void {
    const version = this.#createVersion(app, number)
    const known = this.#branch(app, name)
    const branch = known ?? { app, name, order: this.#clock++, versions: [] }
    if (known === undefined) this.#branches.push(branch)
    if (!branch.versions.includes(version)) branch.versions.push(version)
    this.#adoptMainBranch(app, name)
  }

  removeFromBranch(app: string, number: string, name: string): boolean {
    const branch = this.#branch(app, name)
    const version = this.#version(app, number)
    if (branch === undefined || version === undefined || !branch.versions.includes(version)) return false
    branch.versions = branch.versions.filter((one) => one !== version)
    return true
  }

  deleteBranch(app: string, name: string): boolean {
    const branch = this.#branch(app, name)
    this.#branches = this.#branches.filter((one) => one !== branch)
    return branch !== undefined
  }

  /** Unlike publishing with a tag, records a deployment if the tag has the name of an environment, also if it is not new. */
  tag(app: string, number: string, name: string): void {
    this.#addTag(app, number, name)
    if (this.#environments.includes(name)) this.deploy(app, number, name, '')
  }

  untag(app: string, number: string, name: string): boolean {
    const tag = this.#tags.find((tag) => tag.name === name && tag.version === this.#version(app, number))
    this.#tags = this.#tags.filter((one) => one !== tag)
    return tag !== undefined
  }

  setMainBranch(app: string, name: string): void {
    this.#mainBranches.set(app, name)
  }

  deploy(app: string, number: string, environment: string, instance: string): boolean {
    const version = this.#version(app, number)
    if (version === undefined) return false
    this.undeploy(app, environment, instance)
    this.#present.push({ version, environment, instance })
    return true
  }

  undeploy(app: string, environment: string, instance: string): boolean {
    const isThis = (one: Presence) =>
      one.version.app === app && one.environment === environment && one.instance === instance
    const found = this.#present.some(isThis)
    this.#present = this.#present.filter((one) => !isThis(one))
    return found
  }

  release(app: string, number: string, environment: string): boolean {
    const version = this.#version(app, number)
    if (version === undefined) return false
    this.endSupport(app, number, environment)
    this.#present.push({ version, environment, instance: null })
    return true
  }

  endSupport(app: string, number: string, environment: string): boolean {
    const version = this.#version(app, number)
    const isThis = (one: Presence) =>
      one.version === version && one.environment === environment && one.instance === null
    const found = this.#present.some(isThis)
    this.#present = this.#present.filter((one) => !isThis(one))
    return found
  }

  deleteContract(consumer: string, number: string, provider: string): boolean {
    const version = this.#version(consumer, number)
    const kept = this.#publications.filter((one) => one.version !== version || one.provider !== provider)
    const found = kept.length < this.#publications.length
    this.#publications = kept
    return found
  }

  deleteVersion(app: string, number: string): boolean {
    const version = this.#version(app, number)
    if (version !== undefined) this.#removeVersions((one) => one === version)
    return version !== undefined
  }

  /** Also deletes the versions of both applications that have no contracts and results left. */
  deleteIntegration(consumer: string, provider: string): boolean {
    if (!this.#integrations.delete(`${consumer}/${provider}`)) return false
    this.#publications = this.#publications.filter((one) => one.version.app !== consumer || one.provider !== provider)
    this.#results = this.#results.filter((one) => one.consumer !== consumer || one.version.app !== provider)
    const isUsed = (version: Version) =>
      this.#publications.some((one) => one.version === version) || this.#results.some((one) => one.version === version)
    this.#removeVersions((one) => [consumer, provider].includes(one.app) && !isUsed(one))
    for (const app of [consumer, provider]) if (this.isOrphan(app)) this.#forget(app)
    return true
  }

  deleteApplication(app: string): void {
    this.#removeVersions((one) => one.app === app)
    this.#publications = this.#publications.filter((one) => one.provider !== app)
    this.#results = this.#results.filter((one) => one.consumer !== app)
    this.#integrations = new Set([...this.#integrations].filter((pair) => !pair.split('/').includes(app)))
    this.#forget(app)
  }

  /** Whether an application has neither versions nor integrations. */
  isOrphan(app: string): boolean {
    const isIntegrated = [...this.#integrations].some((pair) => pair.split('/').includes(app))
    return !isIntegrated && !this.#versions.some((one) => one.app === app)
  }

  // Queries.

  contentOf(consumer: string, number: string, provider: string): string | undefined {
    const version = this.#version(consumer, number)
    return this.#current().find((one) => one.version === version && one.provider === provider)?.content
  }

  /** The latest contract of each consumer, of all versions or of those with a tag. */
  latestContracts(provider: string, tag?: string): string[] {
    const published = this.#current().filter((one) => one.provider === provider)
    const tagged = published.filter((one) => tag === undefined || this.#hasTag(one.version, tag))
    const latest = unique(tagged.map((one) => one.version.app)).map((app) =>
      newest(tagged.filter((one) => one.version.app === app).map((one) => one.version)),
    )
    return latest.map((version) => `${version?.app} ${version?.number}`).sort()
  }

  hasTag(app: string, tag: string): boolean {
    return this.#tags.some((one) => one.version.app === app && one.name === tag)
  }

  hasBranch(app: string, name: string): boolean {
    return this.#branch(app, name) !== undefined
  }

  contractsToVerify(provider: string, request: VerificationRequest): ContractToVerify[] {
    const { consumerVersionSelectors = [], includePendingStatus = true } = request
    const published = this.#current().filter((one) => one.provider === provider)
    const selected =
      consumerVersionSelectors.length > 0
        ? consumerVersionSelectors.flatMap((selector) => this.#choose(published, selector, request))
        : this.#chooseDefault(published)
    const scopes = this.#scopes(provider, request)
    const key = (one: Publication) => `${one.version.app} ${one.content}`
    const merge = (publications: readonly Publication[]) =>
      unique(publications.map(key))
        .map((one) => publications.filter((other) => key(other) === one))
        .map((same) => same.reduce((a, b) => (b.version.order > a.version.order ? b : a)))
        .sort((a, b) => byText(a.version.app, b.version.app) || a.version.order - b.version.order)
    const shown = (one: Publication) => ({
      consumer: one.version.app,
      version: one.version.number,
      content: one.content,
    })
    const chosen = merge(selected).map((one) => {
      const pending = scopes.some((scope) => !this.#wasVerified(one, scope, true))
      return { ...shown(one), ...(includePendingStatus && { pending }) }
    })
    if (request.includeWipPactsSince === undefined || scopes.every((scope) => scope.kind === 'any')) return chosen
    const since = Date.parse(request.includeWipPactsSince)
    const inProgress = published
      .filter((one) => one.at > since && !selected.some((other) => key(one) === key(other)))
      .filter((one) => this.#isHead(one.version))
      .filter((one) => scopes.some((scope) => !this.#wasVerified(one, scope, false)))
    return [...chosen, ...merge(inProgress).map((one) => ({ ...shown(one), pending: true, wip: true as const }))]
  }

  matrix(query: MatrixQuery): MatrixAnswer {
    const { selectors, destination, latestby, success } = query
    const found = selectors.map((selector) => this.#find(selector.pacticipant, selector))
    const names = unique(selectors.map(({ pacticipant }) => pacticipant))
    const specified = found.flat()
    // The applications that the selected consumer versions need, and the consumers of the selected applications.
    const used = this.#current().filter((one) => specified.includes(one.version))
    const consumers = [...this.#integrations]
      .map((pair) => pair.split('/'))
      .filter(([, provider]) => names.includes(provider ?? ''))
    const others = unique([...used.map((one) => one.provider), ...consumers.map(([consumer = '']) => consumer)])
    const inferred = destination === undefined ? [] : others.filter((app) => !names.includes(app))
    const versions = [...specified, ...inferred.flatMap((app) => this.#find(app, destination as VersionSelector))]
    const apps = [...names, ...inferred]
    const publications = latestby === undefined ? this.#publications : this.#current()
    // Deviation: all selected versions of one application have rows. In the Pact Broker, only if the selector finds one version.
    const isHistory = names.length === 1 && destination === undefined
    let rows = publications.flatMap((publication): Row[] => {
      const { version, provider } = publication
      const isSelected = versions.includes(version)
      const results = this.#resultsOf(publication, latestby !== undefined)
      const bySelected = results.filter((result) => versions.includes(result.version))
      if (isHistory) return (isSelected ? orNone(results) : bySelected).map((result) => row(publication, result))
      const isSpecified = names.includes(version.app) || names.includes(provider)
      if (!isSelected || !apps.includes(provider) || !isSpecified) return []
      return orNone(bySelected).map((result) => row(publication, result))
    })
    if (latestby === 'cvp') rows = rows.filter((one) => !rows.some((other) => isSuperseded(one, other)))
    rows.sort(compareRows)

    // Deviation: an `ignore` selector that finds no version ignores nothing.
    const ignored = query.ignore.map((selector) => ({
      app: selector.pacticipant,
      all: isEvery(selector),
      versions: this.#find(selector.pacticipant, selector),
    }))
    const isIgnored = ({ publication, result }: Row) =>
      ignored.some(
        ({ app, all, versions }) =>
          (publication.version.app === app && (all || versions.includes(publication.version))) ||
          (publication.provider === app && (all || (result !== undefined && versions.includes(result.version)))),
      )
    const isMissing = (selector: MatrixSelector, index: number) =>
      !isEvery(selector) &&
      found[index]?.length === 0 &&
      !ignored.some(({ app, all }) => all && app === selector.pacticipant)
    const considered = rows.filter((one) => !isIgnored(one))
    const count = (wanted?: boolean) => considered.filter((one) => one.result?.success === wanted).length
    const [passed, failed, unknown] = [count(true), count(false), count()]
    const deployable = selectors.some(isMissing) ? false : unknown > 0 ? null : failed === 0
    // Deviation: `success[]` selects the rows to show. In the Pact Broker, it also changes the verdict and the counts.
    const isShown = ({ result }: Row) => success.length === 0 || success.includes(result?.success ?? null)
    const shown = [...considered, ...rows.filter(isIgnored)].filter(isShown)
    const text = (one: Row) => `${describe(one)}${isIgnored(one) ? ' ignored' : ''}`
    return {
      deployable,
      success: passed,
      failed,
      unknown,
      ignored: rows.length - considered.length,
      rows: shown.map(text),
    }
  }

  // Selection.

  /** The versions of an application that match all fields of a selector. `latest` applies to those that match the others. */
  #find(app: string, selector: VersionSelector): Version[] {
    const { version, latest, tag, branch, mainBranch, environment } = selector
    const name = mainBranch ? this.#mainBranches.get(app) : branch
    const found = this.#versions
      .filter((one) => one.app === app)
      .filter((one) => version === undefined || one.number === version)
      .filter((one) => tag === undefined || this.#hasTag(one, tag))
      .filter((one) => environment === undefined || this.#isPresent(one, environment))
    if (mainBranch || branch !== undefined) {
      const known = name === undefined ? [] : (this.#branch(app, name)?.versions ?? [])
      return found.filter((one) => (latest ? known.at(-1) === one : known.includes(one)))
    }
    const last = newest(found)
    return !latest ? found : last === undefined ? [] : [last]
  }

  #choose(published: readonly Publication[], selector: ConsumerSelector, request: VerificationRequest): Publication[] {
    const { consumer, tag, branch, latest, environment, fallbackTag, fallbackBranch } = selector
    const all = published.filter((one) => consumer === undefined || one.version.app === consumer)
    const heads = (name: string | undefined) =>
      all.filter((one) => name !== undefined && this.#isBranchHead(one.version, name))
    // Deviation: each consumer has its own fallback, and `fallbackBranch` has an effect.
    const orElse = (some: Publication[], fallback: readonly Publication[]) => [
      ...some,
      ...fallback.filter((one) => !some.some((other) => other.version.app === one.version.app)),
    ]
    const mainHeads = () =>
      all.filter((one) => this.#isBranchHead(one.version, this.#mainBranches.get(one.version.app)))
    if (selector.mainBranch) return mainHeads()
    if (selector.matchingBranch) return heads(request.providerVersionBranch)
    if (branch === true)
      return all.filter((one) => this.#branches.some(({ versions }) => versions.at(-1) === one.version))
    if (branch !== undefined) {
      return orElse(heads(branch), selector.fallbackToMainBranch ? mainHeads() : heads(fallbackBranch))
    }
    if (tag !== undefined && !latest) return all.filter((one) => this.#hasTag(one.version, tag))
    if (tag !== undefined) {
      const tagged = (name: string | undefined) =>
        all.filter((one) => name !== undefined && this.#isTagHead(one.version, name))
      return orElse(tagged(tag), tagged(fallbackTag))
    }
    if (latest) {
      const isLatest = (one: Publication) =>
        !all.some((other) => other.version.app === one.version.app && other.version.order > one.version.order)
      return all.filter(isLatest)
    }
    const kinds = selector.deployed ? ['deployed'] : selector.released ? ['released'] : ['deployed', 'released']
    return all.filter((one) =>
      this.#present.some(
        (at) =>
          at.version === one.version &&
          kinds.includes(at.instance === null ? 'released' : 'deployed') &&
          (environment === undefined || at.environment === environment),
      ),
    )
  }

  #chooseDefault(published: readonly Publication[]): Publication[] {
    const consumers = unique(published.map((one) => one.version.app))
    const selectors = consumers.map((consumer): ConsumerSelector => {
      const main = this.#mainBranches.get(consumer)
      if (main !== undefined && this.#branch(consumer, main)?.versions.length) return { consumer, mainBranch: true }
      if (main !== undefined && this.hasTag(consumer, main)) return { consumer, tag: main, latest: true }
      return { consumer, latest: true }
    })
    return [...selectors, { deployedOrReleased: true } as const].flatMap((one) => this.#choose(published, one, {}))
  }

  /** The provider branch or tags for which contracts are pending or work in progress, and when these were first used. */
  #scopes(provider: string, request: VerificationRequest): Scope[] {
    const { providerVersionBranch: branch, providerVersionTags: tags = [] } = request
    const never = Number.POSITIVE_INFINITY
    if (branch !== undefined) {
      // Deviation: in the Pact Broker, work in progress depends on when the first version of the branch was created.
      return [{ kind: 'branch', name: branch, since: this.#branch(provider, branch)?.order ?? never }]
    }
    if (tags.length === 0) return [{ kind: 'any', name: '', since: never }]
    const first = (name: string) =>
      this.#tags.find((tag) => tag.version.app === provider && tag.name === name)?.order ?? never
    return unique(tags).map((name) => ({ kind: 'tag', name, since: first(name) }))
  }

  /** Whether a contract was verified for a branch or tag, or for another one before this one was first used. */
  #wasVerified(publication: Publication, scope: Scope, countsWip: boolean): boolean {
    return this.#resultsOf(publication, false).some((result) => {
      if (!result.success || (result.wip && !countsWip)) return false
      if (scope.kind === 'any') return true
      const names =
        scope.kind === 'branch'
          ? this.#branches.filter(({ versions }) => versions.includes(result.version)).map(({ name }) => name)
          : this.#tags.filter(({ version }) => version === result.version).map(({ name }) => name)
      return names.some((name) => name === scope.name || result.order < scope.since)
    })
  }

  // Lookups.

  #version(app: string, number: string): Version | undefined {
    return this.#versions.find((one) => one.app === app && one.number === number)
  }

  #branch(app: string, name: string): Branch | undefined {
    return this.#branches.find((one) => one.app === app && one.name === name)
  }

  #hasTag(version: Version, name: string): boolean {
    return this.#tags.some((tag) => tag.version === version && tag.name === name)
  }

  #isTagHead(version: Version, name: string): boolean {
    const tagged = this.#tags.filter((tag) => tag.version.app === version.app && tag.name === name)
    return newest(tagged.map((tag) => tag.version)) === version
  }

  #isBranchHead(version: Version, name: string | undefined): boolean {
    return name !== undefined && this.#branch(version.app, name)?.versions.at(-1) === version
  }

  #isHead(version: Version): boolean {
    const ofBranch = this.#branches.some(({ versions }) => versions.at(-1) === version)
    return ofBranch || this.#tags.some((tag) => tag.version === version && this.#isTagHead(version, tag.name))
  }

  #isPresent(version: Version, environment: string): boolean {
    return this.#present.some((one) => one.version === version && one.environment === environment)
  }

  /** The last revision of each contract of each version. */
  #current(): Publication[] {
    const isReplaced = (one: Publication) =>
      this.#publications.some(
        (other) => other.version === one.version && other.provider === one.provider && other.revision > one.revision,
      )
    return this.#publications.filter((one) => !isReplaced(one))
  }

  /** The results of the content of a contract: all, or the last one of each provider version. */
  #resultsOf({ version, provider, content }: Publication, last: boolean): Result[] {
    const results = this.#results.filter(
      (one) => one.consumer === version.app && one.version.app === provider && one.content === content,
    )
    return results.filter((one) => !last || newest(results.filter((other) => other.version === one.version)) === one)
  }

  // Changes.

  #createVersion(app: string, number: string): Version {
    const known = this.#version(app, number)
    if (known !== undefined) return known
    const version = { app, number, order: this.#clock++ }
    this.#versions.push(version)
    return version
  }

  #addTag(app: string, number: string, name: string): void {
    const version = this.#createVersion(app, number)
    const tags = this.#tags.filter((tag) => tag.version === version)
    const hasBranch = this.#branches.some((branch) => branch.versions.includes(version))
    if (tags.length === 0 && !hasBranch) this.addToBranch(app, number, name)
    this.#adoptMainBranch(app, name)
    if (!tags.some((tag) => tag.name === name)) this.#tags.push({ version, name, order: this.#clock++ })
  }

  #adoptMainBranch(app: string, name: string): void {
    if (MAIN_BRANCHES.includes(name) && !this.#mainBranches.has(app)) this.#mainBranches.set(app, name)
  }

  #removeVersions(isRemoved: (version: Version) => boolean): void {
    const isKept = ({ version }: { version: Version }) => !isRemoved(version)
    this.#versions = this.#versions.filter((version) => !isRemoved(version))
    this.#tags = this.#tags.filter(isKept)
    this.#present = this.#present.filter(isKept)
    this.#publications = this.#publications.filter(isKept)
    this.#results = this.#results.filter(isKept)
    for (const branch of this.#branches) branch.versions = branch.versions.filter((version) => !isRemoved(version))
  }

  #forget(app: string): void {
    this.#branches = this.#branches.filter((branch) => branch.app !== app)
    this.#mainBranches.delete(app)
  }
}

const isEvery = ({ pacticipant: _, ...fields }: MatrixSelector) => Object.keys(fields).length === 0

const row = (publication: Publication, result: Result | undefined): Row => ({ publication, result })

/** A contract without results has one row without a result. */
const orNone = (results: Result[]): (Result | undefined)[] => (results.length === 0 ? [undefined] : results)

/** Whether the same contract has a row for a later provider version. */
const isSuperseded = (one: Row, other: Row) =>
  one.publication === other.publication && (other.result?.version.order ?? 0) > (one.result?.version.order ?? 0)

function compareRows(a: Row, b: Row): number {
  const [one, other] = [a.publication, b.publication]
  return (
    byText(one.version.app, other.version.app) ||
    other.version.order - one.version.order ||
    other.revision - one.revision ||
    byText(one.provider, other.provider) ||
    (b.result?.version.order ?? 0) - (a.result?.version.order ?? 0) ||
    (b.result?.order ?? 0) - (a.result?.order ?? 0)
  )
}

function describe({ publication: { version, provider }, result }: Row): string {
  return `${version.app} ${version.number} ${provider} ${result ? `${result.version.number} ${result.success}` : '-'}`
}
