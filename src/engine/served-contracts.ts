// Serves contracts as mocks, independently of what intercepts the requests.
import { EngineError } from './error.js'
import { Instance } from './instance.js'
import type {
  ContractConflict,
  ContractInteraction,
  ContractMock,
  ContractMockOptions,
  ContractSource,
  StateSelection,
  UnmatchedRequest,
} from './types.js'

/** A request, with the types of the Fetch API. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Iterable<readonly [string, string]>
  readonly body: Uint8Array
}

/** A response to send. */
export interface MockResponse {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array<ArrayBuffer>
}

export type Answer =
  | { readonly response: MockResponse; readonly unmatched?: undefined }
  | { readonly unmatched: UnmatchedRequest; readonly response?: undefined }

type Opened = {
  readonly interactions: readonly ContractInteraction[]
  readonly conflicts: readonly ContractConflict[]
  readonly ignored: readonly string[]
  readonly warnings: readonly string[]
}

type Outcome = {
  readonly opened?: Opened
  readonly matched?: Omit<MockResponse, 'body'> & { readonly problems: readonly string[] }
  readonly unmatched?: UnmatchedRequest
  readonly failed?: { readonly code: string; readonly message: string }
}

/** Maximum size of a request body in bytes. The mock server has the same limit. */
const MAX_BODY = 64 << 20
/** The status of the response to a request that no interaction matches. */
const UNMATCHED_STATUS = 501

const names = [
  'baseUrl',
  'consumer',
  'provider',
  'states',
  'conflicts',
  'plugins',
  'contractLimit',
  'seed',
  'now',
  'onWarning',
] as const

export class ServedContracts implements ContractMock {
  readonly interactions: readonly ContractInteraction[]
  readonly conflicts: readonly ContractConflict[]
  readonly #base: URL | undefined
  readonly #opening: object
  readonly #options: ContractMockOptions
  readonly #warned = new Set<string>()
  #instance: Instance
  #states: readonly StateSelection[] | undefined

  private constructor(instance: Instance, opening: object, opened: Opened, options: ContractMockOptions, base?: URL) {
    this.#instance = instance
    this.#opening = opening
    this.#options = options
    this.#base = base
    this.#states = options.states
    this.interactions = opened.interactions
    this.conflicts = opened.conflicts
    for (const warning of [...opened.warnings, ...opened.ignored.map((one) => `ignored: ${one}`)]) this.#warn(warning)
  }

  /**
   * Loads the contracts. `call` is the name of the function that the user called. `more` contains the names of the
   * options that only this function has.
   */
  static async open(
    call: string,
    contracts: ContractSource | readonly ContractSource[],
    options: ContractMockOptions,
    more: readonly string[],
  ): Promise<ServedContracts> {
    checkOptions(call, options, more)
    const base = options.baseUrl === undefined ? undefined : baseOf(call, options.baseUrl)
    const sources = Array.isArray(contracts) ? contracts : [contracts]
    const opening = {
      open: {
        contracts: sources.map((source, at) => sourceOf(call, source, at)),
        options: {
          consumers: [options.consumer ?? []].flat(),
          providers: [options.provider ?? []].flat(),
          ignorePlugins: options.plugins === 'ignore',
          contractLimit: options.contractLimit,
          seed: options.seed ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
        },
      },
    }
    const instance = await Instance.create()
    const { document } = instance.call<Outcome>(opening)
    if (document.opened === undefined) throw failure(call, document)
    const served = new ServedContracts(instance, opening, document.opened, options, base)
    served.#reportConflicts(call)
    return served
  }

  /** Returns the response to a request, or `undefined` if the request's URL is not below the base URL. */
  async answer(request: ReceivedRequest): Promise<Answer | undefined> {
    const path = this.pathOf(request.url)
    if (path === undefined) return undefined
    if (request.body.length > MAX_BODY) {
      throw new EngineError('ERR_CONTRACT_OPTIONS', `the request body is larger than the maximum of ${MAX_BODY} bytes`)
    }
    const instance = await this.#workingInstance()
    const states = this.#states?.map((state) => (typeof state === 'string' ? { name: state } : state))
    const now = Math.trunc(Number(this.#options.now?.() ?? Date.now()))
    const baseUrl = this.#base === undefined ? request.url.origin : this.#base.href.replace(/\/$/, '')
    const { method, url, headers } = request
    const { document, body } = instance.call<Outcome>(
      { answer: { method, path, query: url.search, headers: [...headers], states, now, baseUrl } },
      request.body,
    )
    if (document.unmatched !== undefined) return { unmatched: document.unmatched }
    if (document.matched === undefined) throw failure('answer', document)
    for (const problem of document.matched.problems) this.#warn(problem)
    return { response: { ...document.matched, body } }
  }

  /** Returns the path relative to the base URL, or `undefined` if the URL is not below the base URL. */
  pathOf(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
    if (this.#base === undefined) return url.pathname
    const prefix = this.#base.pathname.replace(/\/$/, '')
    if (url.origin !== this.#base.origin) return undefined
    if (url.pathname === prefix) return '/'
    return url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : undefined
  }

  /**
   * Returns whether an unmatched request is answered by default: if a base URL is set, or if an interaction has the
   * request's method and path. Other requests are probably meant for another server.
   */
  isOwn(unmatched: UnmatchedRequest): boolean {
    return this.#base !== undefined || unmatched.hasTarget
  }

  setStates(states?: readonly StateSelection[]): void {
    if (states !== undefined) checkStates('setStates', states)
    this.#states = states
  }

  reset(): void {
    this.#states = this.#options.states
    if (!this.#instance.isBroken) this.#instance.call({ restart: {} })
  }

  /**
   * Returns a working instance. Replaces an instance that failed, so that one failed request does not fail all later
   * tests.
   */
  async #workingInstance(): Promise<Instance> {
    if (this.#instance.isBroken) {
      this.#instance = await Instance.create()
      this.#instance.call(this.#opening)
    }
    return this.#instance
  }

  #reportConflicts(call: string): void {
    const { conflicts = 'warn' } = this.#options
    if (this.conflicts.length === 0 || conflicts === 'ignore') return
    const lines = this.conflicts.map(({ request, first, other }) => {
      const [a, b] = [first, other].map(
        ({ contract, description, status }) => `"${description}" of ${contract} (${status})`,
      )
      return conflicts === 'reject' ? `  ${request}: ${a} and ${b}` : `  ${request}: ${a} responds instead of ${b}`
    })
    const list = lines.join('\n')
    if (conflicts === 'reject') {
      const text = `${call}: contracts conflict: they contain different responses to the same request:\n${list}`
      throw new EngineError('ERR_CONTRACT_CONFLICT', text)
    }
    this.#warn(`contracts conflict. The first contract in the list responds:\n${list}`)
  }

  /** Prints each warning once. */
  #warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    const { onWarning = (text: string) => console.warn(`contract: ${text}`) } = this.#options
    onWarning(message)
  }
}

/** Returns the response to a request that no interaction matches: a problem document as defined by RFC 9457. */
export function problemOf({ error, request, closest, hasTarget }: UnmatchedRequest): MockResponse {
  const title = 'No interaction matches the request'
  const problem = { type: 'about:blank', title, status: UNMATCHED_STATUS, detail: error, request, closest }
  return {
    status: UNMATCHED_STATUS,
    headers: [
      ['content-type', 'application/problem+json'],
      ['x-contract', hasTarget ? 'Request-Mismatch' : 'Unexpected-Request'],
    ],
    body: new TextEncoder().encode(JSON.stringify(problem)),
  }
}

/** Returns whether a response with this status must not have a body. */
export function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

function invalid(call: string, problem: string): EngineError {
  return new EngineError('ERR_CONTRACT_OPTIONS', `${call}: ${problem}`)
}

function failure(call: string, { failed }: Outcome): EngineError {
  const { code, message } = failed ?? {
    code: 'ERR_CONTRACT_INTERNAL',
    message: 'the matching engine returned no result',
  }
  return new EngineError(code, `${call}: ${message}`)
}

function checkOptions(call: string, options: ContractMockOptions, more: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw invalid(call, 'the options must be an object')
  const known: readonly string[] = [...names, ...more]
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(call, `unknown option "${unknown}".\n  Options: ${known.join(', ')}`)
  const { conflicts, contractLimit, plugins, seed, states } = options
  const choices = { conflicts: ['warn', 'reject', 'ignore'], plugins: ['reject', 'ignore'] } as const
  for (const [name, value] of Object.entries({ conflicts, plugins })) {
    const allowed: readonly string[] = choices[name as keyof typeof choices]
    if (value !== undefined && !allowed.includes(value)) {
      throw invalid(call, `"${name}" must be one of ${allowed.join(', ')}; received ${JSON.stringify(value)}`)
    }
  }
  for (const name of ['now', 'onWarning'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw invalid(call, `"${name}" must be a function`)
    }
  }
  for (const name of ['consumer', 'provider'] as const) {
    if ([options[name] ?? []].flat().some((value) => typeof value !== 'string')) {
      throw invalid(call, `"${name}" must be a name or an array of names`)
    }
  }
  if (contractLimit !== undefined && (!Number.isSafeInteger(contractLimit) || contractLimit < 1)) {
    throw invalid(
      call,
      `"contractLimit" must be a whole number of bytes, at least 1; received ${String(contractLimit)}`,
    )
  }
  if (seed !== undefined && (!Number.isSafeInteger(seed) || seed < 0)) {
    throw invalid(call, `"seed" must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, received ${String(seed)}`)
  }
  if (states !== undefined) checkStates(call, states)
}

function checkStates(call: string, states: readonly StateSelection[]): void {
  if (!Array.isArray(states)) throw invalid(call, 'the provider states must be an array')
  for (const state of states as readonly unknown[]) {
    const {
      name,
      parameters = {},
      ...rest
    } = (typeof state === 'string' ? { name: state } : (state ?? {})) as {
      name?: unknown
      parameters?: unknown
    }
    if (
      typeof name !== 'string' ||
      typeof parameters !== 'object' ||
      parameters === null ||
      Object.keys(rest).length > 0
    ) {
      throw invalid(call, `a provider state must be a name or { name, parameters }, received ${JSON.stringify(state)}`)
    }
  }
}

function baseOf(call: string, baseUrl: string | URL): URL {
  try {
    const url = new URL(baseUrl)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {
    // Rejected below.
  }
  throw invalid(call, `"baseUrl" must be a URL such as https://api.example.com/v1; received "${baseUrl}"`)
}

function sourceOf(call: string, source: ContractSource, at: number): { name?: string; text: string } {
  const { name, content } = isNamed(source) ? source : { name: undefined, content: source }
  const text = textOf(content)
  if (text !== undefined) return { ...(name !== undefined && { name }), text }
  throw invalid(call, `contract ${at + 1} must be a contract document, its text, or its bytes`)
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  // Bytes may be from another realm, as in Jest.
  if (ArrayBuffer.isView(content)) return new TextDecoder().decode(content as Uint8Array<ArrayBuffer>)
  const isDocument = typeof content === 'object' && content !== null && !('then' in content)
  return isDocument ? JSON.stringify(content) : undefined
}

function isNamed(source: ContractSource): source is { readonly name: string; readonly content: object | string } {
  return typeof source === 'object' && source !== null && 'content' in source && 'name' in source
}
