import { optionsData, rejectCall } from './arguments.js'
import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { MessageVerifyOptions } from './generated/options.js'
import type { MessageVariant, MessageVerdict } from './generated/results.js'
import { callContext } from './handles.js'
import type { JsonValue } from './json.js'
import { MessageError, MessageVerificationError, thrownText } from './message-error.js'
import { contentsOf, type Message, type MessageKind, type MessageState, type NativeContents } from './messages.js'
import type { NativeContract, NativeMessages } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { ownerOf } from './owner.js'
import { settle } from './timeout.js'
import { endOf } from './variant-runs.js'
import { splitVariants } from './variants.js'

/**
 * A function that passes one message to the consumer's code. For a synchronous message, its return value is compared
 * with the response in the contract.
 */
export type MessageHandler<T = unknown> = (
  body: T,
  metadata: Readonly<Record<string, JsonValue>>,
  message: Message<T>,
) => unknown

interface NativeMessage extends NativeContents {
  readonly description: string
  readonly key: string | null
  readonly providerStates: readonly MessageState[]
  readonly responses: readonly NativeContents[]
  /** False if the message has failed before the handler could be called, for example because it has no contents. */
  readonly isReady: boolean
  /** True if the handler's return value is compared with a response. */
  readonly isCompared: boolean
}

/** Implements `Contract.verify`. */
export async function verifyMessages<T>(
  contract: NativeContract,
  handler: MessageHandler<T>,
  kind: MessageKind,
  options: MessageVerifyOptions,
): Promise<readonly MessageError[]> {
  const checkedOptions = optionsData('verify', options)
  if (splitVariants('verify', checkedOptions.variants).check !== undefined) {
    rejectCall('verify', 'variants: "check" is not supported, because message handlers return no result')
  }
  if (kind === undefined) {
    // In pact-js, the call that verifies HTTP interactions has no kind.
    throw new ContractArgumentError(
      'ERR_CONTRACT_KIND',
      "verify: kind is missing. Pass a handler and the kind of the messages, as in verify(handler, 'Async'). For HTTP interactions, use serve(callback)",
    )
  }
  if (typeof handler !== 'function') {
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', 'verify: the handler must be a function')
  }
  const owner = ownerOf(contract)
  owner?.enter('verify')
  const session = unwrap(native.takeMessages(contract, encoded({ ...checkedOptions, kind }), callContext('', contract)))
  owner?.claimed(kind)
  const causes = new Map<number, unknown>()
  // Messages are handled one at a time, because handlers may share a database and failures are reported in the order of
  // the contract.
  for (const [index, message] of (JSON.parse(session.messages()) as NativeMessage[]).entries()) {
    const outcome = await callHandler(session, handler, kind, message, index, causes)
    check(session.handled(index, outcome))
    await tryVariants(session, handler, kind, message, index, causes)
  }
  const { raises, failures, text } = JSON.parse(unwrap(await session.finish())) as MessageVerdict
  const errors = failures.map(({ index, code, description, text, mismatches }) => {
    const cause = causes.has(index) ? { cause: causes.get(index) } : {}
    return new MessageError(code, description, text, { ...cause, mismatches })
  })
  if (errors.length > 0 && raises) throw new MessageVerificationError(errors, text)
  return errors
}

/** Calls the handler with a message. Returns how the call ended, as JSON text for the core. */
async function callHandler<T>(
  session: NativeMessages,
  handler: MessageHandler<T>,
  kind: MessageKind,
  message: NativeMessage,
  index: number,
  causes: Map<number, unknown>,
): Promise<string> {
  if (!message.isReady) return '"passed"'
  const received = messageOf(message, kind) as Message<T>
  const call = await settle(() => handler(received.body, received.metadata, received), session.timeout)
  if ('timedOut' in call) return '"timed_out"'
  if ('cause' in call) {
    causes.set(index, call.cause)
    return JSON.stringify({ threw: thrownText(call.cause) })
  }
  return call.value !== undefined && message.isCompared ? `{"returned":${encoded(call.value)}}` : '"passed"'
}

/** Calls the handler with the message's variants. Does nothing if the message failed or has no variants. */
async function tryVariants<T>(
  session: NativeMessages,
  handler: MessageHandler<T>,
  kind: MessageKind,
  message: NativeMessage,
  index: number,
  causes: Map<number, unknown>,
): Promise<void> {
  const thrown: unknown[] = []
  let ended: object | null = null
  for (;;) {
    const text: string = unwrap(session.nextVariant(index, ended === null ? null : JSON.stringify(ended)))
    const step = JSON.parse(text) as Omit<MessageVariant, 'message'> & { readonly message: NativeContents | null }
    if (step.next === null || step.message === null) {
      if (step.print !== null) console.error(step.print)
      const cause = thrown[step.report?.failures[0]?.run ?? 0]
      if (step.report !== null && cause !== undefined) causes.set(index, cause)
      return
    }
    const received = messageOf({ ...message, ...step.message }, kind) as Message<T>
    const settled = await settle(() => handler(received.body, received.metadata, received), step.next.timeout)
    thrown.push('cause' in settled ? settled.cause : undefined)
    ended = endOf(settled)
  }
}

function messageOf(
  { description, key, providerStates, responses, ...contents }: NativeMessage,
  kind: MessageKind,
): Message {
  return {
    ...contentsOf(contents),
    description,
    kind,
    ...(key === null ? {} : { key }),
    providerStates,
    responses: responses.map(contentsOf),
  }
}
