import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { JsonValue } from './json.js'
import { MessageError, MessageVerificationError, thrownText } from './message-error.js'
import { contentsOf, type Handed, type Message, type MessageKind, type MessageState } from './messages.js'
import type { Mismatch } from './mismatch.js'
import type { NativeContract, NativeMessages } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { settle } from './timeout.js'

/** The consumer's own code, or what leads to it: takes one message. Of a synchronous one it may return the response. */
export type MessageHandler<T = unknown> = (
  body: T,
  metadata: Readonly<Record<string, JsonValue>>,
  message: Message<T>,
) => unknown

/** Options of `Contract.verify`. */
export interface MessageVerifyOptions {
  /** Whether failures are thrown as `MessageVerificationError`. Default: true; else they are returned. */
  readonly raises?: boolean
  /** Whether a value that the handler of a synchronous message returns is compared with the response. Default: true. */
  readonly checkResponse?: boolean
  /** Whether a message without contents is handed over. Default: false, it fails. */
  readonly allowEmpty?: boolean
  /**
   * How long the handler may take for one message, in milliseconds. Default: 4000, so that the message is named before Jest
   * gives up after 5 seconds.
   */
  readonly timeout?: number
  /** Hands over messages of earlier calls again, too. Default: false. */
  readonly all?: boolean
  /** Makes generated values the same in every run. Default: that of the contract. */
  readonly seed?: number
}

interface Given extends Handed {
  readonly description: string
  readonly key: string | null
  readonly providerStates: readonly MessageState[]
  readonly responses: readonly Handed[]
  readonly problem?: { readonly code: string; readonly message: string }
}

/** What the contract adds to the options of a call. */
interface Settings {
  readonly directory: string | undefined
  readonly overwrite: boolean
  readonly seed: number | undefined
}

const TIMEOUT = 4000

/** @internal */
export async function verifyMessages<T>(
  contract: NativeContract,
  handler: MessageHandler<T>,
  kind: MessageKind,
  options: MessageVerifyOptions,
  settings: Settings,
  writer: string,
): Promise<readonly MessageError[]> {
  if (typeof handler !== 'function') {
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', 'verify: the handler must be a function')
  }
  const timeout = options.timeout === undefined ? TIMEOUT : milliseconds(options.timeout)
  const { allowEmpty = false, all = false, seed = settings.seed } = options
  const session = unwrap(
    native.takeMessages(contract, JSON.stringify({ kind, all, allowEmpty, ...settings, seed }), writer),
  )
  const given = JSON.parse(session.messages()) as Given[]
  const failures: MessageError[] = []
  const passed: boolean[] = []
  // One after the other: handlers may share a database, and failures stand in the order of the contract.
  for (const [index, one] of given.entries()) {
    const compare = kind === 'Sync' && (options.checkResponse ?? true) ? session : undefined
    const failure = await attempt(handler, one, kind, timeout, compare, index)
    passed.push(failure === undefined)
    if (failure !== undefined) failures.push(failure)
  }
  let unwritten: ErrorOptions | undefined
  try {
    unwrap(await session.finish(passed))
  } catch (cause) {
    unwritten = { cause }
  }
  if (failures.length > 0 && (options.raises ?? true)) {
    throw new MessageVerificationError(failures, given.length, unwritten)
  }
  if (unwritten !== undefined) throw unwritten.cause
  return failures
}

async function attempt<T>(
  handler: MessageHandler<T>,
  given: Given,
  kind: MessageKind,
  timeout: number,
  session: NativeMessages | undefined,
  index: number,
): Promise<MessageError | undefined> {
  const { description, problem } = given
  if (problem !== undefined) return new MessageError(problem.code, description, problem.message)
  const message = messageOf(given, kind) as Message<T>
  const call = await settle(() => handler(message.body, message.metadata, message), timeout)
  if ('timedOut' in call) {
    const text = `the handler did not settle within ${timeout} ms; if it needs longer, raise { timeout }`
    return new MessageError('ERR_CONTRACT_MESSAGE_TIMEOUT', description, text)
  }
  if ('cause' in call) {
    const text = `the handler failed: ${thrownText(call.cause)}`
    return new MessageError('ERR_CONTRACT_MESSAGE_HANDLER', description, text, { cause: call.cause })
  }
  if (session === undefined || call.value === undefined || given.responses.length === 0) return undefined
  return compared(session, index, given, call.value)
}

/** What the returned value has against the defined response. */
function compared(session: NativeMessages, index: number, given: Given, value: unknown): MessageError | undefined {
  const { description } = given
  try {
    const { mismatches, text } = JSON.parse(unwrap(session.compare(index, encoded(value)))) as {
      mismatches: readonly Mismatch[]
      text: string
    }
    if (mismatches.length === 0) return undefined
    const problem = `what the handler returned is not the defined response:\n${text}`
    return new MessageError('ERR_CONTRACT_MESSAGE_RESPONSE', description, problem, { mismatches })
  } catch (cause) {
    const text = cause instanceof ContractArgumentError ? cause.message : thrownText(cause)
    return new MessageError('ERR_CONTRACT_MESSAGE_RESULT', description, text, { cause })
  }
}

function messageOf({ description, key, providerStates, responses, ...handed }: Given, kind: MessageKind): Message {
  return {
    ...contentsOf(handed),
    description,
    kind,
    ...(key === null ? {} : { key }),
    providerStates,
    responses: responses.map(contentsOf),
  }
}

function milliseconds(value: number): number {
  if (value > 0) return Math.ceil(value)
  throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `verify: ${value} is no time in milliseconds`)
}
