import { optionsData } from './arguments.js'
import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { MessageVerifyOptions } from './generated/options.js'
import type { MessageVerdict } from './generated/results.js'
import { surroundings } from './handles.js'
import type { JsonValue } from './json.js'
import { MessageError, MessageVerificationError, thrownText } from './message-error.js'
import { contentsOf, type Handed, type Message, type MessageKind, type MessageState } from './messages.js'
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
  const { raises, failures, text } = JSON.parse(unwrap(await session.finish())) as MessageVerdict
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
