// Provider states of the contracts of the Pact Broker's clients. They are set up through the API of the broker.
import { execFileSync } from 'node:child_process'
import type { JsonObject } from 'contract'
import type { Asked } from '../../support/broker.ts'

const PRICING = 'Pricing Service'
const COMMIT = '5556b8149bf8bac76bc30f50a8a2dd4c22c85f30'
const ENVIRONMENT = '16926ef3-590f-4e3f-838e-719717aa88c9'
const OTHER_ENVIRONMENT = 'cb632df3-0a0d-4227-aac3-60114dd36479'
const DEPLOYMENT = 'ff3adecf-cfc5-4653-a4e3-f1861092f8e0'
const WEBHOOK = '696c5f93-1b7f-44bc-8d03-59440fcaa9a0'

interface Result {
  readonly success?: boolean
}

/** Adds data to an empty broker. */
export class Setup {
  /** IDs in the contracts, and the IDs that the broker assigned instead: its API does not accept them. */
  readonly ids = new Map<string, string>()
  readonly #broker: Asked
  readonly #file: string

  constructor(broker: Asked, file: string) {
    this.#broker = broker
    this.#file = file
  }

  async application(name: string, more: JsonObject = {}): Promise<void> {
    await this.#broker.send('POST', '/pacticipants', { name, ...more })
  }

  /** Creates a version, and its application if it does not exist. */
  async version(application: string, number: string, { tag = '', branch = '' } = {}): Promise<void> {
    const version = path('pacticipants', application, 'versions', number)
    await this.#broker.send('PUT', version, {})
    if (branch !== '')
      await this.#broker.send('PUT', path('pacticipants', application, 'branches', branch, 'versions', number), {})
    if (tag !== '') await this.#broker.send('PUT', version + path('tags', tag), {})
  }

  /** Publishes a contract with different content for each version, or with these interactions. */
  async pact(consumer: string, version: string, provider: string, interactions?: JsonObject[]): Promise<void> {
    const request = { method: 'GET', path: `/${version}` }
    await this.#broker.send('PUT', pactPath(consumer, version, provider), {
      consumer: { name: consumer },
      provider: { name: provider },
      interactions: interactions ?? [{ description: 'a request', request, response: { status: 200 } }],
    })
  }

  /** Publishes a result for the contract of a consumer version. */
  async verified(
    consumer: string,
    version: string,
    provider: string,
    providerVersion: string,
    { success = true }: Result = {},
  ): Promise<void> {
    const pact = await this.#broker.send('GET', pactPath(consumer, version, provider))
    const links = pact._links as Record<string, { readonly href: string }>
    await this.#broker.send('POST', String(links['pb:publish-verification-results']?.href), {
      success,
      providerApplicationVersion: providerVersion,
    })
  }

  async environment(name: string, more: JsonObject = {}): Promise<void> {
    const { uuid } = await this.#broker.send('POST', '/environments', { name, production: false, ...more })
    const ids = name === 'test' ? [ENVIRONMENT, OTHER_ENVIRONMENT] : []
    for (const id of ids) this.ids.set(id, String(uuid))
  }

  /** Deploys a version to the environment `test`. */
  async deployed(application: string, number: string, instance?: string): Promise<void> {
    const id = this.ids.get(ENVIRONMENT) ?? ''
    const { uuid } = await this.#broker.send(
      'POST',
      path('pacticipants', application, 'versions', number, 'deployed-versions', 'environment', id),
      instance === undefined ? {} : { applicationInstance: instance },
    )
    this.ids.set(DEPLOYMENT, String(uuid))
  }

  async webhook(id: string): Promise<void> {
    await this.#broker.send('PUT', path('webhooks', id), {
      events: [{ name: 'contract_content_changed' }],
      request: { method: 'POST', url: 'https://example.org' },
    })
  }

  /** Makes the broker fail to publish contracts, which its API cannot do. */
  failToPublish(): void {
    const trigger = "CREATE TRIGGER broken BEFORE INSERT ON publication BEGIN SELECT RAISE(ABORT, 'an error'); END"
    const program = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])'
    execFileSync('python3', ['-c', program, this.#file, trigger])
  }
}

const path = (...names: string[]) => names.map((name) => `/${encodeURIComponent(name)}`).join('')

const pactPath = (consumer: string, version: string, provider: string) =>
  path('pacts', 'provider', provider, 'consumer', consumer, 'version', version)

/** A contract between Condor and the Pricing Service, as the clients expect it: without interactions. */
async function condorPact(broker: Setup, tag = ''): Promise<void> {
  await broker.version('Condor', '1.3.0', { tag })
  await broker.pact('Condor', '1.3.0', PRICING, [])
}

/** Version 1.2.3 of a consumer was verified by two versions of Bar, and version 2.0.0 by one. */
async function verifiedByBar(broker: Setup, consumer: string): Promise<void> {
  await broker.pact(consumer, '1.2.3', 'Bar')
  await broker.verified(consumer, '1.2.3', 'Bar', '4.5.6')
  await broker.verified(consumer, '1.2.3', 'Bar', '7.8.9')
  await broker.pact(consumer, '2.0.0', 'Bar')
  await broker.verified(consumer, '2.0.0', 'Bar', '4.5.6')
}

/** Version 1.2.3 of Foo was verified by version 4.5.6 of Bar, which may have a tag. */
async function fooVerified(broker: Setup, tag = ''): Promise<void> {
  await broker.pact('Foo', '1.2.3', 'Bar')
  await broker.verified('Foo', '1.2.3', 'Bar', '4.5.6')
  await broker.version('Bar', '4.5.6', { tag })
}

async function fooFailed(broker: Setup): Promise<void> {
  await broker.pact('Foo', '1.2.4', 'Bar')
  await broker.verified('Foo', '1.2.4', 'Bar', '9.9.9', { success: false })
}

async function fooWithEnvironments(broker: Setup, ...environments: string[]): Promise<void> {
  await broker.version('Foo', COMMIT)
  for (const name of environments) await broker.environment(name)
}

async function fooDeployed(broker: Setup, instance?: string): Promise<void> {
  await broker.environment('test')
  await broker.version('Foo', COMMIT)
  await broker.deployed('Foo', COMMIT, instance)
}

type Handler = (broker: Setup) => unknown

const STATES: Readonly<Record<string, Handler>> = {
  'the pact for Foo Thing version 1.2.3 has been verified by Bar version 4.5.6': (broker) =>
    verifiedByBar(broker, 'Foo Thing'),
  'the pact for Foo version 1.2.3 has been verified by Bar version 4.5.6': (broker) => verifiedByBar(broker, 'Foo'),
  'the pact for Foo version 1.2.3 has been verified by Bar version 4.5.6 and version 5.6.7': async (broker) => {
    await fooVerified(broker)
    await broker.verified('Foo', '1.2.3', 'Bar', '5.6.7')
  },
  'the pact for Foo version 1.2.3 has been successfully verified by Bar version 4.5.6 (tagged prod) and version 5.6.7':
    async (broker) => {
      await fooVerified(broker, 'prod')
      await broker.verified('Foo', '1.2.3', 'Bar', '5.6.7')
    },
  'the pact for Foo version 1.2.3 and 1.2.4 has been verified by Bar version 4.5.6': async (broker) => {
    await fooVerified(broker)
    await broker.pact('Foo', '1.2.4', 'Bar')
    await broker.verified('Foo', '1.2.4', 'Bar', '4.5.6')
  },
  'the pact for Foo version 1.2.3 has been successfully verified by Bar version 4.5.6, and 1.2.4 unsuccessfully by 9.9.9':
    async (broker) => {
      await fooVerified(broker)
      await fooFailed(broker)
    },
  'the pact for Foo version 1.2.3 has been successfully verified by Bar version 4.5.6 with tag prod, and 1.2.4 unsuccessfully by 9.9.9':
    async (broker) => {
      await fooVerified(broker, 'prod')
      await fooFailed(broker)
    },
  'provider Bar version 4.5.6 has a successful verification for Foo version 1.2.3 tagged prod and a failed verification for version 3.4.5 tagged prod':
    async (broker) => {
      for (const [version, success] of [['1.2.3', true] as const, ['3.4.5', false] as const]) {
        await broker.version('Foo', version, { tag: 'prod' })
        await broker.pact('Foo', version, 'Bar')
        await broker.verified('Foo', version, 'Bar', '4.5.6', { success })
      }
    },

  'a pact between Condor and the Pricing Service exists': (broker) => condorPact(broker),
  'a latest pact between Condor and the Pricing Service exists': (broker) => condorPact(broker),
  'a pact between Condor and the Pricing Service exists for the production version of Condor': (broker) =>
    condorPact(broker, 'prod'),
  'tagged as prod pact between Condor and the Pricing Service exists': (broker) => condorPact(broker, 'prod'),
  'no pact between Condor and the Pricing Service exists': () => {},
  'an error occurs while publishing a pact': (broker) => broker.failToPublish(),

  "the 'Pricing Service' does not exist in the pact-broker": () => {},
  "the 'Pricing Service' already exists in the pact-broker": async (broker) => {
    await broker.application(PRICING, {
      repositoryUrl: 'git@git.realestate.com.au:business-systems/pricing-service',
    })
    await broker.version(PRICING, '1.3.0')
  },
  "the 'Pricing Service' and 'Condor' already exist in the pact-broker": async (broker) => {
    await broker.application('Condor')
    await broker.application(PRICING)
  },
  "the 'Pricing Service' and 'Condor' already exist in the pact-broker, and Condor already has a pact published for version 1.3.0":
    (broker) => condorPact(broker),
  "'Condor' already exist in the pact-broker, but the 'Pricing Service' does not": (broker) =>
    broker.application('Condor'),
  "'Condor' does not exist in the pact-broker": () => {},
  "'Condor' exists in the pact-broker": (broker) => broker.version('Condor', '1.3.0'),
  "'Condor' exists in the pact-broker with version 1.3.0, tagged with 'prod'": (broker) =>
    broker.version('Condor', '1.3.0', { tag: 'prod' }),
  "'Condor' exists in the pact-broker with the latest version 1.2.3": async (broker) => {
    await broker.version('Condor', '1.0.0')
    await broker.version('Condor', '1.2.3')
  },
  "'Condor' exists in the pact-broker with the latest tagged 'production' version 1.2.3": async (broker) => {
    await broker.version('Condor', '1.2.3', { tag: 'production' })
    await broker.version('Condor', '2.0.0')
  },
  'a pacticipant with name Foo exists': (broker) => broker.application('Foo'),
  'a branch named main exists for pacticipant Foo': (broker) => broker.version('Foo', '1', { branch: 'main' }),

  'an environment exists': (broker) =>
    broker.environment('test', { contacts: [{ name: 'foo', details: { emailAddress: 'foo@bar.com' } }] }),
  'an environment with name test exists': (broker) => broker.environment('test'),
  [`an environment with name test and UUID ${ENVIRONMENT} exists`]: (broker) => broker.environment('test'),
  [`version ${COMMIT} of pacticipant Foo exists with a test environment available for deployment`]: (broker) =>
    fooWithEnvironments(broker, 'test'),
  [`version ${COMMIT} of pacticipant Foo exists with a test environment available for release`]: (broker) =>
    fooWithEnvironments(broker, 'test'),
  [`version ${COMMIT} of pacticipant Foo exists with 2 environments that aren't test available for deployment`]: (
    broker,
  ) => fooWithEnvironments(broker, 'prod', 'dev'),
  [`an version is deployed to environment with UUID ${ENVIRONMENT} with target customer-1`]: (broker) =>
    fooDeployed(broker, 'customer-1'),
  'a currently deployed version exists': (broker) => fooDeployed(broker),

  [`a webhook with the uuid ${WEBHOOK} exists`]: async (broker) => {
    await broker.application('Condor')
    await broker.application(PRICING)
    await broker.webhook(WEBHOOK)
  },
}

/** Every broker has all relations. */
const RELATIONS = /^the .* relations? (exists? in the index resource|are present)$/

/** Sets up a provider state. */
export async function setUp(state: string, broker: Setup): Promise<void> {
  const handler = STATES[state]
  if (handler === undefined && !RELATIONS.test(state)) throw new Error(`no handler for the provider state "${state}"`)
  await handler?.(broker)
}

interface Step {
  readonly relation: string
  /** The name of the link, if the relation has several. */
  readonly name?: string
  readonly variables?: Readonly<Record<string, string>>
}

const test = { relation: 'pb:environment', variables: { uuid: ENVIRONMENT } }
const foo = { relation: 'pb:pacticipant-version', variables: { pacticipant: 'Foo', version: COMMIT } }

/** Paths in the contracts that represent the links which the client follows from the index. */
const PLACEHOLDERS: Readonly<Record<string, readonly Step[]>> = {
  '/HAL-REL-PLACEHOLDER-PB-WEBHOOKS': [{ relation: 'pb:webhooks' }],
  '/HAL-REL-PLACEHOLDER-PB-ENVIRONMENTS': [{ relation: 'pb:environments' }],
  '/HAL-REL-PLACEHOLDER-PB-PUBLISH-CONTRACTS': [{ relation: 'pb:publish-contracts' }],
  '/HAL-REL-PLACEHOLDER-INDEX-PB-LATEST-VERSION-Condor': [
    { relation: 'pb:latest-version', variables: { pacticipant: 'Condor' } },
  ],
  '/HAL-REL-PLACEHOLDER-INDEX-PB-LATEST-TAGGED-VERSION-Condor-production': [
    { relation: 'pb:latest-tagged-version', variables: { pacticipant: 'Condor', tag: 'production' } },
  ],
  '/HAL-REL-PLACEHOLDER-PB-PACTICIPANT-BRANCH-Foo-main': [
    { relation: 'pb:pacticipant-branch', variables: { pacticipant: 'Foo', branch: 'main' } },
  ],
  [`/HAL-REL-PLACEHOLDER-PB-PACTICIPANT-VERSION-Foo-${COMMIT}`]: [foo],
  [`/HAL-REL-PLACEHOLDER-PB-RECORD-DEPLOYMENT-FOO-${COMMIT.toUpperCase()}-TEST`]: [
    foo,
    { relation: 'pb:record-deployment', name: 'test' },
  ],
  [`/HAL-REL-PLACEHOLDER-PB-RECORD-RELEASE-FOO-${COMMIT.toUpperCase()}-TEST`]: [
    foo,
    { relation: 'pb:record-release', name: 'test' },
  ],
  [`/HAL-REL-PLACEHOLDER-PB-ENVIRONMENT-${ENVIRONMENT}`]: [test],
  [`/PLACEHOLDER-ENVIRONMENT-CURRENTLY-DEPLOYED-${ENVIRONMENT}`]: [
    test,
    { relation: 'pb:currently-deployed-deployed-versions' },
  ],
}

interface Link {
  readonly href: string
  readonly name?: string
}

interface Resource {
  readonly _links: Readonly<Record<string, Link | readonly Link[]>>
}

/** Returns the path in the broker for a path in a contract. */
export async function resolvePath(path: string, broker: Asked, ids: ReadonlyMap<string, string>): Promise<string> {
  const assigned = (text: string) => [...ids].reduce((text, [id, actual]) => text.replace(id, actual), text)
  const steps = PLACEHOLDERS[path]
  if (steps === undefined) return assigned(path.replace('/PLACEHOLDER-DEPLOYED-VERSION-', '/deployed-versions/'))
  let url = broker.url
  for (const { relation, name, variables = {} } of steps) {
    const { _links } = (await broker.send('GET', url)) as unknown as Resource
    const link = [_links[relation] ?? []].flat().find((link) => name === undefined || link.name === name)
    if (link === undefined) throw new Error(`${url} has no link ${relation} ${name ?? ''}`)
    url = link.href.replace(/{(\w+)}/g, (_, variable: string) =>
      encodeURIComponent(assigned(variables[variable] ?? '')),
    )
  }
  return new URL(url).pathname
}
