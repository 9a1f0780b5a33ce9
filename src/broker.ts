/**
 * Functions that call a broker, for example to publish contracts, request verdicts, and record deployments. `startBroker`
 * starts a broker.
 *
 * @module contract/broker
 */

import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { rejectCall } from './arguments.js'
import { brokerCall } from './broker-call.js'
import { encoded } from './encoded.js'
import { ContractError } from './errors.js'
import type { PublishedContracts, PublishOptions } from './generated/broker.js'
import type { BrokerOptions } from './generated/options.js'
import { executable } from './native/executable.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { childProcess } from './on-demand.js'

export { BrokerError, type BrokerErrorDetails, type BrokerNotice } from './errors.js'
export type * from './generated/broker.js'
export * from './generated/broker-functions.js'
export type { BrokerCredentials, BrokerOptions } from './generated/options.js'

import { guardReceiver } from './receiver.js'

/**
 * Publishes contracts from files, directories, or glob patterns. If the broker rejects one of a consumer's contracts,
 * none of this consumer's contracts are published.
 *
 * @throws {BrokerError} if no contract is found, the broker is unreachable, or the broker rejects a contract because
 * this version was already published with different content (`ERR_CONTRACT_BROKER_CONFLICT`; `notices` contain the
 * diff)
 */
export async function publish(
  files: string | readonly string[],
  options: PublishOptions = {},
): Promise<PublishedContracts> {
  if (typeof files !== 'string' && !Array.isArray(files))
    rejectCall('publish', `"files" must be a path or an array of paths, received ${typeof files}`)
  return brokerCall('publish', { ...options, files: typeof files === 'string' ? [files] : files })
}

type Process = ChildProcessByStdio<Writable, Readable, Readable>

/** A running broker. It stops when you call `stop`, or when the process that started it exits. */
export class RunningBroker implements AsyncDisposable {
  /** The base URL: `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly #process: Process

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #process in object)
  }

  /** @internal */
  constructor(url: string, process: Process) {
    this.url = url
    this.#process = process
  }

  /** Stops the broker after active requests have ended. Further calls have no effect. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    this.#process.ref()
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/**
 * Starts a broker with its own database. Resolves when the broker accepts requests.
 *
 * @throws {ContractArgumentError} `ERR_CONTRACT_OPTIONS` if an option is unknown or invalid
 * @throws {ContractError} `ERR_CONTRACT_BROKER` if the broker does not start; the message contains its error output
 */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  const variables = JSON.parse(unwrap(native.testBrokerVariables(encoded(options)))) as [string, string][]
  // The broker stops when its standard input closes. The operating system closes it whenever this process ends.
  const child = childProcess().spawn(executable(), ['serve', '--stop-with-stdin', '--log-level', 'error'], {
    argv0: 'contract-broker',
    env: { ...withoutBroker(process.env), ...Object.fromEntries(variables) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const url = await started(child)
  // A running broker must not keep this process alive.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.()
  return new RunningBroker(url, child)
}

/** Removes environment variables that configure another broker, because they must not apply to a test broker. */
function withoutBroker(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(CONTRACT|PACT)_BROKER_/.test(name)))
}

function started(child: Process): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, errorOutput] = ['', '']
    // Registered first, because an error event without a listener ends the process.
    child.on('error', (cause) =>
      reject(new ContractError('ERR_CONTRACT_BROKER', `The broker did not start: ${cause.message}`, { cause })),
    )
    // If no file handles are free, the streams are missing, and the child emits an error event.
    if ((child.stdin as Writable | undefined) === undefined) return
    // If the broker has exited, writing to its standard input fails.
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const url = /https?:\/\/\S+/.exec(out)?.[0]
      if (url !== undefined && out.endsWith('\n')) resolve(url)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-10_000)
    })
    child.on('close', () => {
      const reason = errorOutput.trim().replace(/^error: /, '') || 'it printed no error message'
      reject(new ContractError('ERR_CONTRACT_BROKER', `The broker did not start: ${reason}`))
    })
  })
}
