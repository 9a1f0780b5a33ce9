// Random histories for a broker and its model, and random queries about them.

import { BrokerModel, type MatrixQuery, type MatrixSelector, merged, type VerificationRequest } from './broker-model.ts'
import type { Random } from './random.ts'

export const APPS = ['a', 'b', 'c', 'd']
const NUMBERS = ['1', '2', '3', '4', '5']
const BRANCHES = ['main', 'feat/x', 'feat/y']
export const ENVIRONMENTS = ['test', 'prod']
/** One is a main branch, one is an environment. */
const TAGS = ['main', 'prod', 'dev']
const INSTANCES = ['', 'blue']
const CONTENTS = ['0', '1', '2', '0+1']

interface Contract {
  readonly provider: string
  readonly content: string
  readonly merge: boolean
}

export type Step =
  | {
      readonly do: 'publish'
      app: string
      number: string
      contracts: readonly Contract[]
      branch?: string
      tags: readonly string[]
    }
  | { readonly do: 'verify'; consumer: string; version: string; provider: string; number: string; success: boolean }
  /** Verifies the contracts that are work in progress for a branch. */
  | { readonly do: 'verifyWip'; provider: string; number: string; branch: string; success: boolean }
  | { readonly do: 'branch' | 'unbranch'; app: string; number: string; branch: string }
  | { readonly do: 'deleteBranch' | 'mainBranch'; app: string; branch: string }
  | { readonly do: 'tag' | 'untag'; app: string; number: string; tag: string }
  | { readonly do: 'deploy'; app: string; number: string; environment: string; instance: string }
  | { readonly do: 'undeploy'; app: string; environment: string; instance: string }
  | { readonly do: 'release' | 'endSupport'; app: string; number: string; environment: string }
  | { readonly do: 'deleteContract'; app: string; number: string; provider: string }
  | { readonly do: 'deleteVersion'; app: string; number: string }
  | { readonly do: 'deleteIntegration'; consumer: string; provider: string }
  | { readonly do: 'deleteApplication'; app: string }

export type Question =
  | { readonly ask: 'matrix'; query: MatrixQuery }
  | {
      readonly ask: 'canIDeploy'
      app: string
      version: string
      environment?: string
      tag?: string
      ignore: readonly string[]
    }
  | { readonly ask: 'tagToTag'; app: string; tag: string; to: string }
  | { readonly ask: 'branchToEnvironment'; app: string; branch: string; environment: string }
  | { readonly ask: 'toVerify'; provider: string; request: VerificationRequest }
  | { readonly ask: 'latest'; provider: string; tag?: string }

export function randomStep(random: Random): Step {
  const [app, number, branch] = [random.of(APPS), random.of(NUMBERS), random.of(BRANCHES)]
  const other = random.of(APPS.filter((one) => one !== app))
  const environment = random.of(ENVIRONMENTS)
  const [tag, instance, success] = [random.of(TAGS), random.of(INSTANCES), random.once(2)]
  const kind = random.below(100)
  if (kind < 32) {
    const providers = random.once(4) ? APPS.filter((one) => one !== app) : [other]
    const contracts = providers.map((provider) => ({ provider, content: random.of(CONTENTS), merge: random.once(4) }))
    const tags = random.once(4) ? [tag] : []
    return { do: 'publish', app, number, contracts, tags, ...(random.once(2) && { branch }) }
  }
  if (kind < 55) return { do: 'verify', consumer: other, version: random.of(NUMBERS), provider: app, number, success }
  if (kind < 60) return { do: 'verifyWip', provider: app, number, branch, success }
  if (kind < 66) return { do: 'branch', app, number, branch }
  if (kind < 71) return { do: 'tag', app, number, tag }
  if (kind < 79) return { do: 'deploy', app, number, environment, instance }
  if (kind < 83) return { do: 'release', app, number, environment }
  if (kind < 85) return { do: 'undeploy', app, environment, instance }
  if (kind < 87) return { do: 'endSupport', app, number, environment }
  if (kind < 89) return { do: 'unbranch', app, number, branch }
  if (kind < 91) return { do: 'untag', app, number, tag }
  if (kind < 93) return { do: 'deleteContract', app, number, provider: other }
  if (kind < 95) return { do: 'deleteVersion', app, number }
  if (kind < 96) return { do: 'deleteBranch', app, branch }
  if (kind < 97) return { do: 'mainBranch', app, branch }
  if (kind < 99) return { do: 'deleteIntegration', consumer: app, provider: other }
  return { do: 'deleteApplication', app }
}

/** A selector with one field, or rarely with several, or without. */
function randomSelector(random: Random): MatrixSelector {
  const pacticipant = random.of(APPS)
  const fields = [
    { version: random.of(NUMBERS) },
    { tag: random.of(TAGS) },
    { branch: random.of(BRANCHES) },
    { mainBranch: true as const },
    { environment: random.of(ENVIRONMENTS) },
  ]
  const kind = random.below(12)
  if (kind === 0) return { pacticipant }
  if (kind === 1) return { pacticipant, latest: true }
  if (kind < 7) return { pacticipant, ...fields[0] }
  const latest = random.once(2) && { latest: true as const }
  if (kind < 10) return { pacticipant, ...random.of(fields.slice(1)), ...latest }
  // Several fields. A version excludes `latest`, and a branch excludes a main branch.
  const [version, tag, branch, mainBranch, environment] = fields
  const one = random.once(2) ? latest : version
  return Object.assign({ pacticipant }, one, ...random.some([tag, random.of([branch, mainBranch]), environment]))
}

const randomDestination = (random: Random) =>
  random.of([
    { environment: random.of(ENVIRONMENTS) },
    { environment: random.of(ENVIRONMENTS) },
    { latest: true as const },
    { tag: random.of(TAGS), latest: true as const },
    { tag: random.of(TAGS) },
    { mainBranch: true as const, latest: true as const },
    { mainBranch: true as const },
  ])

/** `since` is a list of moments in the history. */
export function randomQuestion(random: Random, since: readonly string[]): Question {
  const app = random.of(APPS)
  const [environment, tag, branch] = [random.of(ENVIRONMENTS), random.of(TAGS), random.of(BRANCHES)]
  const kind = random.below(20)
  if (kind < 9) {
    const selectors = Array.from({ length: 1 + random.below(random.once(3) ? 4 : 2) }, () => randomSelector(random))
    const ignore = random.once(4) ? [random.once(2) ? { pacticipant: random.of(APPS) } : randomSelector(random)] : []
    const latestby = random.of(['cvp', 'cvpv', undefined] as const)
    const success = random.once(5) ? random.some([true, false, null]) : []
    const query = {
      selectors,
      ignore,
      success,
      ...(latestby && { latestby }),
      ...(random.once(2) && { destination: randomDestination(random) }),
    }
    return { ask: 'matrix', query }
  }
  if (kind < 11) {
    const ignore = random.once(4) ? random.some(APPS) : []
    const destination = random.once(3) ? { tag } : { environment }
    return { ask: 'canIDeploy', app, version: random.of(NUMBERS), ignore, ...destination }
  }
  if (kind < 12) return { ask: 'tagToTag', app, tag, to: random.of(TAGS) }
  if (kind < 13) return { ask: 'branchToEnvironment', app, branch, environment }
  if (kind < 14) return { ask: 'latest', provider: app, ...(random.once(2) && { tag }) }
  return { ask: 'toVerify', provider: app, request: randomRequest(random, since) }
}

function randomRequest(random: Random, since: readonly string[]): VerificationRequest {
  const providerVersionBranch = random.once(2) ? random.of([...BRANCHES, 'unborn']) : undefined
  const selector = () => ({
    ...random.of([
      { mainBranch: true as const },
      { branch: random.of(BRANCHES), ...(random.once(2) && { fallbackBranch: random.of(BRANCHES) }) },
      { branch: random.of(BRANCHES), fallbackToMainBranch: true as const },
      { branch: true as const },
      { tag: random.of(TAGS) },
      { tag: random.of(TAGS), latest: true as const, ...(random.once(2) && { fallbackTag: random.of(TAGS) }) },
      { latest: true as const },
      { deployed: true as const },
      { released: true as const },
      { deployedOrReleased: true as const },
      { environment: random.of(ENVIRONMENTS) },
      { deployed: true as const, environment: random.of(ENVIRONMENTS) },
      { released: true as const, environment: random.of(ENVIRONMENTS) },
      providerVersionBranch === undefined ? { latest: true as const } : { matchingBranch: true as const },
    ]),
    ...(random.once(4) && { consumer: random.of(APPS) }),
  })
  const tags = random.once(3) ? random.some([...TAGS, 'unborn']) : []
  return {
    ...(random.below(4) > 0 && { consumerVersionSelectors: Array.from({ length: 1 + random.below(3) }, selector) }),
    ...(providerVersionBranch && { providerVersionBranch }),
    ...(tags.length > 0 && { providerVersionTags: tags }),
    ...(random.once(2) && { includePendingStatus: random.once(2) }),
    ...(random.once(2) && { includeWipPactsSince: random.of(since) }),
  }
}

/** A contract between two applications, and the path of its resource. */
const contractPath = (provider: string, consumer: string, number: string) =>
  `/pacts/provider/${provider}/consumer/${consumer}/version/${number}`

const documentOf = (content: string) => ({
  interactions: content.split('+').map((part) => ({
    description: part,
    request: { method: 'GET', path: `/${part}` },
    response: { status: 200 },
  })),
})

// biome-ignore lint/suspicious/noExplicitAny: HAL documents
type Document = any

/** Applies steps and queries to a broker and to the model, and compares the responses. */
export class Comparison {
  readonly #url: string
  readonly #model: BrokerModel
  readonly #contents = new Map<string, string>()
  readonly #environments = new Map<string, string>()
  readonly #uuids = new Map<string, string>()
  /** Moments between steps. */
  readonly moments: string[] = []

  constructor(url: string, contractsMayChange: boolean) {
    this.#url = url
    this.#model = new BrokerModel(ENVIRONMENTS, contractsMayChange)
  }

  async start(): Promise<void> {
    for (const name of APPS) await this.#send('POST', '/pacticipants', { name })
    for (const name of ENVIRONMENTS) {
      const { body } = await this.#send('POST', '/environments', { name, production: false })
      this.#environments.set(name, body.uuid)
    }
    await this.#note()
  }

  /** The moment after all steps so far, in another millisecond than the steps before and after it. */
  async #note(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2))
    this.moments.push(new Date().toISOString())
    await new Promise((resolve) => setTimeout(resolve, 2))
  }

  async apply(step: Step): Promise<void> {
    const problem = await this.#apply(step)
    if (problem !== undefined) throw new Error(`${JSON.stringify(step)}: ${problem}`)
    await this.#note()
  }

  /** Returns a problem if the broker and the model disagree on whether the step is accepted. */
  async #apply(step: Step): Promise<string | undefined> {
    const model = this.#model
    const accepted = (answer: { status: number; text: string }, expected: boolean) =>
      answer.status < 300 === expected ? undefined : `${answer.status} ${answer.text}, expected ${expected}`
    const app = 'app' in step ? `/pacticipants/${step.app}` : ''
    const version = 'number' in step ? `${app}/versions/${step.number}` : ''
    const branch = 'branch' in step ? `${app}/branches/${encodeURIComponent(step.branch ?? '')}` : ''
    switch (step.do) {
      case 'publish':
        return this.#publish(step)
      case 'verify':
        return this.#verify(step)
      case 'verifyWip':
        return this.#verifyWip(step)
      case 'branch':
        model.addToBranch(step.app, step.number, step.branch)
        return accepted(await this.#send('PUT', `${branch}/versions/${step.number}`, {}), true)
      case 'unbranch': {
        const known = model.removeFromBranch(step.app, step.number, step.branch)
        return accepted(await this.#send('DELETE', `${branch}/versions/${step.number}`), known)
      }
      case 'deleteBranch':
        return accepted(await this.#send('DELETE', branch), model.deleteBranch(step.app, step.branch))
      case 'mainBranch':
        model.setMainBranch(step.app, step.branch)
        return accepted(await this.#send('PATCH', app, { mainBranch: step.branch }), true)
      case 'tag':
        model.tag(step.app, step.number, step.tag)
        return accepted(await this.#send('PUT', `${version}/tags/${step.tag}`, {}), true)
      case 'untag': {
        const known = model.untag(step.app, step.number, step.tag)
        return accepted(await this.#send('DELETE', `${version}/tags/${step.tag}`), known)
      }
      case 'deploy': {
        const known = model.deploy(step.app, step.number, step.environment, step.instance)
        const at = `${version}/deployed-versions/environment/${this.#environments.get(step.environment)}`
        return accepted(
          await this.#send('POST', at, step.instance ? { applicationInstance: step.instance } : {}),
          known,
        )
      }
      case 'undeploy': {
        const known = model.undeploy(step.app, step.environment, step.instance)
        const at = `/environments/${this.#environments.get(step.environment)}/deployed-versions/currently-deployed`
        const { body } = await this.#send('GET', `${at}?pacticipant=${step.app}&applicationInstance=${step.instance}`)
        const [current, ...more] = body._embedded.deployedVersions
        if ((current !== undefined) !== known || more.length > 0) return `deployed: ${JSON.stringify(body)}`
        if (!known) return undefined
        return accepted(
          await this.#send('PATCH', `/deployed-versions/${current.uuid}`, { currentlyDeployed: false }),
          true,
        )
      }
      case 'release': {
        const known = model.release(step.app, step.number, step.environment)
        const at = `${version}/released-versions/environment/${this.#environments.get(step.environment)}`
        const answer = await this.#send('POST', at, {})
        if (known) this.#uuids.set(`${step.app} ${step.number} ${step.environment}`, answer.body.uuid)
        return accepted(answer, known)
      }
      case 'endSupport': {
        if (!model.endSupport(step.app, step.number, step.environment)) return undefined
        const uuid = this.#uuids.get(`${step.app} ${step.number} ${step.environment}`)
        return accepted(await this.#send('PATCH', `/released-versions/${uuid}`, { currentlySupported: false }), true)
      }
      case 'deleteContract': {
        const known = model.deleteContract(step.app, step.number, step.provider)
        return accepted(await this.#send('DELETE', contractPath(step.provider, step.app, step.number)), known)
      }
      case 'deleteVersion':
        return accepted(await this.#send('DELETE', version), model.deleteVersion(step.app, step.number))
      case 'deleteIntegration': {
        const known = model.deleteIntegration(step.consumer, step.provider)
        const path = `/integrations/provider/${step.provider}/consumer/${step.consumer}`
        const answer = await this.#send('DELETE', path)
        // The Pact Broker returns 204 even if the integration does not exist.
        if (known && answer.status !== 204) return `${answer.status} ${answer.text}`
        for (const name of known ? [step.consumer, step.provider] : []) {
          const { status } = await this.#send('GET', `/pacticipants/${name}`)
          if ((status === 404) !== model.isOrphan(name)) return `GET ${name}: ${status}`
          await this.#send('POST', '/pacticipants', { name })
        }
        return undefined
      }
      case 'deleteApplication': {
        model.deleteApplication(step.app)
        const problem = accepted(await this.#send('DELETE', app), true)
        await this.#send('POST', '/pacticipants', { name: step.app })
        return problem
      }
    }
  }

  async #publish({ app, number, contracts, branch, tags }: Step & { do: 'publish' }): Promise<string | undefined> {
    const [first] = contracts
    const before = contracts.map(({ provider }) => this.#model.contentOf(app, number, provider))
    const expected = this.#model.publish(app, number, contracts, { branch, tags, at: Date.now() })
    const answer =
      contracts.length === 1 && first && !first.merge && branch === undefined && tags.length === 0
        ? await this.#send('PUT', contractPath(first.provider, app, number), documentOf(first.content))
        : await this.#send('POST', '/contracts/publish', {
            pacticipantName: app,
            pacticipantVersionNumber: number,
            ...(branch !== undefined && { branch }),
            tags,
            contracts: contracts.map(({ provider, content, merge }) => ({
              consumerName: app,
              providerName: provider,
              specification: 'pact',
              contentType: 'application/json',
              content: Buffer.from(JSON.stringify(documentOf(content))).toString('base64'),
              onConflict: merge ? 'merge' : 'overwrite',
            })),
          })
    if (answer.status < 300 !== expected) return `${answer.status} ${answer.text}, before ${before}`
    for (const { provider, content } of expected ? contracts : []) {
      const { body } = await this.#send('GET', contractPath(provider, app, number))
      const now = body.interactions.map(({ description }: { description: string }) => description)
      const expectedContent = this.#model.contentOf(app, number, provider)
      if (merged(now.join('+'), now.join('+')) !== expectedContent)
        return `has ${now}, expected ${expectedContent}, given ${content}`
      this.#contents.set(body._links['pb:pact-version'].name, expectedContent ?? '')
    }
    return undefined
  }

  async #verify(step: Step & { do: 'verify' }): Promise<string | undefined> {
    const { consumer, version, provider, number, success } = step
    const content = this.#model.contentOf(consumer, version, provider)
    const { status, body } = await this.#send('GET', contractPath(provider, consumer, version))
    if ((status === 200) !== (content !== undefined)) return `GET contract: ${status}`
    if (content === undefined) return undefined
    this.#model.verify(consumer, provider, content, number, success, false)
    return this.#publishResult(body, number, success)
  }

  async #verifyWip({ provider, number, branch, success }: Step & { do: 'verifyWip' }): Promise<string | undefined> {
    const request = {
      consumerVersionSelectors: [{ mainBranch: true }],
      providerVersionBranch: branch,
      includeWipPactsSince: '2020-01-01',
    } as const
    const { status, body } = await this.#send('POST', `/pacts/provider/${provider}/for-verification`, request)
    if (status !== 200) return `${status}`
    const entries = (body._embedded.pacts as Document[]).filter(
      ({ verificationProperties }) => verificationProperties.wip,
    )
    this.#model.addToBranch(provider, number, branch)
    await this.#send('PUT', `/pacticipants/${provider}/branches/${encodeURIComponent(branch)}/versions/${number}`, {})
    await this.#note()
    for (const entry of entries) {
      const { consumer, content } = this.#entry(entry)
      const contract = await this.#send('GET', entry._links.self.href)
      this.#model.verify(consumer, provider, content, number, success, true)
      const problem = await this.#publishResult(contract.body, number, success)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  async #publishResult(contract: Document, number: string, success: boolean): Promise<string | undefined> {
    const url = contract._links['pb:publish-verification-results'].href
    const { status, text } = await this.#send('POST', url, { success, providerApplicationVersion: number })
    return status === 201 ? undefined : `${status} ${text}`
  }

  /** Returns both responses if they differ. */
  async ask(question: Question): Promise<{ broker: unknown; model: unknown } | undefined> {
    const [broker, model] = [await this.#askBroker(question), this.#askModel(question)]
    return JSON.stringify(broker) === JSON.stringify(model) ? undefined : { broker, model }
  }

  #askModel(question: Question): unknown {
    const model = this.#model
    const deployment = (
      selector: MatrixSelector,
      destination: MatrixQuery['destination'],
      ignore: readonly string[] = [],
    ) =>
      model.matrix({
        selectors: [selector],
        ignore: ignore.map((pacticipant) => ({ pacticipant })),
        ...(destination && { destination }),
        latestby: destination?.environment === undefined ? 'cvp' : 'cvpv',
        success: [],
      })
    switch (question.ask) {
      case 'matrix':
        return model.matrix(question.query)
      case 'canIDeploy': {
        const { app, version, environment, tag, ignore } = question
        const destination = tag === undefined ? { environment: environment ?? '' } : { tag, latest: true as const }
        return deployment({ pacticipant: app, version }, destination, ignore)
      }
      case 'tagToTag': {
        const { app, tag, to } = question
        return model.hasTag(app, tag)
          ? deployment({ pacticipant: app, tag, latest: true }, { tag: to, latest: true })
          : 404
      }
      case 'branchToEnvironment': {
        const { app, branch, environment } = question
        return model.hasBranch(app, branch)
          ? deployment({ pacticipant: app, branch, latest: true }, { environment })
          : 404
      }
      case 'latest':
        return model.latestContracts(question.provider, question.tag)
      case 'toVerify':
        return model.contractsToVerify(question.provider, question.request)
    }
  }

  async #askBroker(question: Question): Promise<unknown> {
    const { status, text, body } = await this.#request(question)
    if (question.ask === 'matrix' && status !== 200) return text
    if (status !== 200) return status
    if (question.ask === 'latest') return body._links['pb:pacts'].map(versionOfContract).sort()
    if (question.ask === 'toVerify') return body._embedded.pacts.map((entry: Document) => this.#entry(entry))
    const { deployable, success, failed, unknown, ignored = 0 } = body.summary
    return { deployable, success, failed, unknown, ignored, rows: body.matrix.map(describeRow) }
  }

  #request(question: Question) {
    switch (question.ask) {
      case 'matrix':
        return this.#send('GET', `/matrix?${queryString(question.query)}`)
      case 'canIDeploy': {
        const { app, version, environment, tag, ignore } = question
        const to = tag === undefined ? `environment=${environment}` : `to=${tag}`
        const ignored = ignore.map((name) => `&ignore[][pacticipant]=${name}`).join('')
        return this.#send('GET', `/can-i-deploy?pacticipant=${app}&version=${version}&${to}${ignored}`)
      }
      case 'tagToTag':
        return this.#send(
          'GET',
          `/pacticipants/${question.app}/latest-version/${question.tag}/can-i-deploy/to/${question.to}`,
        )
      case 'branchToEnvironment': {
        const branch = `/pacticipants/${question.app}/branches/${encodeURIComponent(question.branch)}`
        return this.#send('GET', `${branch}/latest-version/can-i-deploy/to-environment/${question.environment}`)
      }
      case 'latest':
        return this.#send('GET', `/pacts/provider/${question.provider}/latest${question.tag ? `/${question.tag}` : ''}`)
      case 'toVerify':
        return this.#send('POST', `/pacts/provider/${question.provider}/for-verification`, question.request)
    }
  }

  #entry({ verificationProperties: { pending, wip }, _links: { self } }: Document) {
    const [, consumer = '', version = ''] = /^Pact between (\S+) \((\S+)\)/.exec(self.name) ?? []
    const content = this.#contents.get(/pact-version\/(\w+)/.exec(self.href)?.[1] ?? '') ?? self.href
    return { consumer, version, content, ...(pending !== undefined && { pending }), ...(wip !== undefined && { wip }) }
  }

  async #send(method: string, path: string, body?: object): Promise<{ status: number; text: string; body: Document }> {
    const answer = await fetch(path.startsWith('http') ? path : this.#url + path, {
      method,
      headers: { accept: 'application/hal+json, application/json', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return { status: answer.status, text, body: /^[[{]/.test(text) ? JSON.parse(text) : undefined }
  }
}

const versionOfContract = ({ name, href }: Document) => `${name} ${/version\/([^/]+)$/.exec(href)?.[1] ?? href}`

function describeRow({ consumer, provider, verificationResult, ignored }: Document): string {
  const result = provider.version ? `${provider.version.number} ${verificationResult.success}` : '-'
  return `${consumer.name} ${consumer.version.number} ${provider.name} ${result}${ignored ? ' ignored' : ''}`
}

export function queryString({ selectors, ignore, destination, latestby, success }: MatrixQuery): string {
  const fields = (prefix: string) => (selector: object) =>
    Object.entries(selector).map(([name, value]) => `${prefix}[${name}]=${encodeURIComponent(value)}`)
  return [
    ...selectors.flatMap(fields('q[]')),
    ...ignore.flatMap(fields('ignore[]')),
    ...Object.entries(destination ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ...(latestby ? [`latestby=${latestby}`] : []),
    ...success.map((value) => `success[]=${value ?? ''}`),
    'limit=1000',
  ].join('&')
}
