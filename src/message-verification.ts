import { optionsData } from './arguments.js'
import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import { surroundings } from './handles.js'
import type { JsonValue } from './json.js'
import { MessageError, MessageVerificationError, thrownText } from './message-error.js'
import { contentsOf, type Handed, type Message, type MessageKind, type MessageState } from './messages.js'
import type { Mismatch } from './mismatch.js'
import type { NativeContract, NativeMessages } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
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
  readonly raises?: boolean | undefined
  /** Whether a value that the handler of a synchronous message returns is compared with the response. Default: true. */
  readonly checkResponse?: boolean | undefined
  /** Whether a message without contents is handed over. Default: false, it fails. */
  readonly allowEmpty?: boolean | undefined
  /**
   * How long the handler may take for one message, in milliseconds. Default: that of the contract, else nine tenths of what
   * the test runner allows, else 4000.
   */
  readonly timeout?: number | undefined
  /** Hands over messages of earlier calls again, too. Default: false. */
  readonly all?: boolean | undefined
  /** Makes generated values the same in every run. Default: that of the contract. */
  readonly seed?: number | undefined
  /** Most bytes generated for one message and its responses; beyond them it fails. Default: that of the contract. */
  readonly generatedSize?: number | undefined
}

interface Given extends Handed {
  readonly description: string
  readonly key: string | null
  readonly providerStates: readonly MessageState[]
  readonly responses: readonly Handed[]
  /** Whether nothing speaks against handing it over. */
  readonly isReady: boolean
  /** Whether what the handler returns is compared with a response. */
  readonly isCompared: boolean
}

interface Verdict {
  readonly raises: boolean
  readonly text: string
  readonly failures: readonly {
    readonly index: number
    readonly code: string
    readonly description: string
    readonly text: string
    readonly mismatches: readonly Mismatch[]
  }[]
}

/** @internal */
export async function verifyMessages<T>(
  contract: NativeContract,
  handler: MessageHandler<T>,
  kind: MessageKind,
  options: MessageVerifyOptions,
): Promise<readonly MessageError[]> {
  const given = optionsData('verify', options)
  if (typeof handler !== 'function') {
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', 'verify: the handler must be a function')
  }
  const session = unwrap(native.takeMessages(contract, encoded({ ...given, kind }), surroundings()))
  const causes = new Map<number, unknown>()
  // One after the other: handlers may share a database, and failures stand in the order of the contract.
  for (const [index, message] of (JSON.parse(session.messages()) as Given[]).entries()) {
    check(session.handled(index, await handOver(session, handler, kind, message, index, causes)))
  }
  const { raises, failures, text } = JSON.parse(unwrap(await session.finish())) as Verdict
  const errors = failures.map(({ index, code, description, text, mismatches }) => {
    const cause = causes.has(index) ? { cause: causes.get(index) } : {}
    return new MessageError(code, description, text, { ...cause, mismatches })
  })
  if (errors.length > 0 && raises) throw new MessageVerificationError(errors, text)
  return errors
}

/** Hands a message over, and says how that went in the words of the core. */
async function handOver<T>(
  session: NativeMessages,
  handler: MessageHandler<T>,
  kind: MessageKind,
  given: Given,
  index: number,
  causes: Map<number, unknown>,
): Promise<string> {
  if (!given.isReady) return '"passed"'
  const message = messageOf(given, kind) as Message<T>
  const call = await settle(() => handler(message.body, message.metadata, message), session.timeout)
  if ('timedOut' in call) return '"timed_out"'
  if ('cause' in call) {
    causes.set(index, call.cause)
    return JSON.stringify({ threw: thrownText(call.cause) })
  }
  return call.value !== undefined && given.isCompared ? `{"returned":${encoded(call.value)}}` : '"passed"'
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
