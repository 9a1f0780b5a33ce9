import { rejectCall } from '../arguments.js'
import type { ContractOptions, ServeOptions } from '../generated/options.js'

/** Options for the mock server that each test receives. */
export type TestServerOptions = Omit<ServeOptions, 'only' | 'all' | 'raises' | 'timeout' | 'variants'>

/** Options for `contractTest`. They are the same in all runner adapters. */
export interface ContractTestOptions extends ContractOptions {
  /** The name of the consumer. */
  readonly consumer: string
  /** The name of the provider. */
  readonly provider: string
  /**
   * Directory for the contract file. Default: the environment variable `CONTRACT_OUTPUT_DIR`, or `contracts` in the current
   * directory.
   */
  readonly directory?: string | URL | undefined
  /** Options for the mock servers, such as `{ cors: true }`. */
  readonly server?: TestServerOptions | undefined
}

/** The options of `contractTest`, split into options of the contract and options of the mock server. */
export interface SplitOptions {
  readonly consumer: string
  readonly provider: string
  readonly contract: ContractOptions
  readonly server: TestServerOptions
}

/** Splits the options of `contractTest`. Throws if one of the options that the core does not check is invalid. */
export function splitOptions(options: ContractTestOptions): SplitOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const received = Array.isArray(options) ? 'an array' : options === null ? 'null' : typeof options
    rejectCall('contractTest', `expected { consumer, provider, … }, received ${received}`)
  }
  const { consumer, provider, server, ...contract } = options
  if (server !== undefined && (typeof server !== 'object' || server === null)) {
    rejectCall('contractTest', '"server" must be an object with mock server options')
  }
  if (server !== undefined) checkServerOptions('contractTest', server)
  const directory = contract.directory ?? (process.env.CONTRACT_OUTPUT_DIR || 'contracts')
  return { consumer, provider, contract: { ...contract, directory }, server: server ?? {} }
}

/** Rejects the mock server option `variants`, which has no effect here because a fixture cannot run its test again. */
export function checkServerOptions(call: string, server: object): void {
  if ((server as ServeOptions).variants === undefined) return
  rejectCall(
    call,
    '"variants" is not supported, because mockServer responds only with the examples. In the test, use contract.serve({ variants }, callback)',
  )
}
