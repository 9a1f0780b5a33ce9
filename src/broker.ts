import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { ContractError } from './errors.js'
import { executable } from './native/executable.js'
import { childProcess } from './on-demand.js'

export type * from './broker-access.js'
export * from './broker-client.js'
export type * from './broker-values.js'
export { BrokerError, type BrokerErrorDetails, type BrokerNotice } from './errors.js'

/** How a broker for tests is to be. */
export interface BrokerOptions {
  /**
   * Where it keeps what it knows: `memory`, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`.
   * @defaultValue `memory`
   */
  readonly db?: string
  /**
   * The port of 127.0.0.1 to listen on; 0 takes a free one.
   * @defaultValue `0`
   */
  readonly port?: number
  /** Who may read and write. Without it, everybody on this machine may. */
  readonly credentials?: BrokerCredentials
  /** Who may only read; `credentials` must be given, too. */
  readonly readOnlyCredentials?: BrokerCredentials
}

/** A name with its password. */
export interface BrokerCredentials {
  readonly username: string
  readonly password: string
}

type Process = ChildProcessByStdio<Writable, Readable, Readable>

/** A broker that runs until it is stopped, and never longer than the process that started it. */
export class RunningBroker implements AsyncDisposable {
  /** Where it answers: `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly #process: Process

  /** @internal */
  constructor(url: string, process: Process) {
    this.url = url
    this.#process = process
  }

  /** Stops it; requests in flight are answered first. Stopping twice does nothing. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    this.#process.ref()
    await ended
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/**
 * Starts a broker with a store of its own, and resolves when it answers.
 *
 * @throws {ContractError} `ERR_CONTRACT_BROKER` when it could not start, with what it said.
 */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  // It ends with its standard input, which the system closes when this process ends, in whichever way.
  const child = childProcess().spawn(executable(), ['serve', '--stop-with-stdin', '--log-level', 'error'], {
    argv0: 'contract-broker',
    env: { ...withoutBroker(process.env), ...environment(options) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const url = await started(child)
  // An idle broker keeps no process alive.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.()
  return new RunningBroker(url, child)
}

/** What is configured for a broker of the team says nothing about one for a test. */
function withoutBroker(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(CONTRACT|PACT)_BROKER_/.test(name)))
}

function environment({ db, port, credentials, readOnlyCredentials }: BrokerOptions): NodeJS.ProcessEnv {
  return {
    CONTRACT_BROKER_DATABASE_URL: db ?? 'memory',
    CONTRACT_BROKER_LISTEN: `127.0.0.1:${port ?? 0}`,
    CONTRACT_BROKER_BASIC_AUTH_USERNAME: credentials?.username,
    CONTRACT_BROKER_BASIC_AUTH_PASSWORD: credentials?.password,
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME: readOnlyCredentials?.username,
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD: readOnlyCredentials?.password,
  }
}

function started(child: Process): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, said] = ['', '']
    // First: an error event without a listener ends the process.
    child.on('error', (cause) =>
      reject(new ContractError('ERR_CONTRACT_BROKER', `The broker did not start: ${cause.message}`, { cause })),
    )
    // Without free file handles there are no streams, and the error comes as an event.
    if ((child.stdin as Writable | undefined) === undefined) return
    // A broker that ended by itself took its end of the pipe along.
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const url = /https?:\/\/\S+/.exec(out)?.[0]
      if (url !== undefined && out.endsWith('\n')) resolve(url)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
    })
    child.on('close', () => {
      const why = said.trim() || 'it ended without a word'
      reject(new ContractError('ERR_CONTRACT_BROKER', `The broker did not start: ${why}`))
    })
  })
}
