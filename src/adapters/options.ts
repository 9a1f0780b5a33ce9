import { rejectCall } from '../arguments.js'
import type { ContractOptions, ServeOptions } from '../generated/options.js'

/** Options of the mock server of each test. */
export type TestServerOptions = Omit<ServeOptions, 'only' | 'all' | 'raises' | 'timeout' | 'variants'>

/** Options of `contractTest`, in all runner adapters. */
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
  /** Options of the mock server, such as `{ cors: true }`. */
  readonly server?: TestServerOptions | undefined
}

/** The options of `contractTest`, separated into options of contracts and options of mock servers. */
export interface SplitOptions {
  readonly consumer: string
  readonly provider: string
  readonly contract: ContractOptions
  readonly server: TestServerOptions
}

/** Separates the options, and checks the options that the core does not check. */
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

/** Rejects an option of the mock server that has no effect, because a fixture cannot repeat its test. */
export function checkServerOptions(call: string, server: object): void {
  if ((server as ServeOptions).variants === undefined) return
  rejectCall(
    call,
    '"variants" is not supported, because mockServer responds only with the examples. In the test, use contract.serve({ variants }, callback)',
  )
}
