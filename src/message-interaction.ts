import { apply, trackCalls } from './handles.js'
import { Interaction, type MessagePart, type Part, type PartOptions } from './interaction.js'
import type { JsonValue } from './json.js'
import type { Template } from './template.js'

abstract class MessageInteraction<P extends Part> extends Interaction<P> {
  /**
   * Adds metadata: JSON values or matchers. `null` removes an entry, `''` stores the empty string, and the string `'null'`
   * stores JSON null. The provider must send these entries and can send additional ones.
   *
   * @example
   * message.withMetadata({ topic: 'orders', partition: match.int(3) })
   */
  withMetadata(metadata: Readonly<Record<string, Template<JsonValue>>>, options?: PartOptions<P>): this {
    return apply(this, 'with_metadata', { metadata }, options)
  }
}

/**
 * An asynchronous message from the provider to the consumer. It has no response.
 *
 * @example
 * contract
 *   .uponReceiving('an order was placed', 'Async')
 *   .given('an order exists', { parameters: { id: 7 } })
 *   .withBody({ id: match.int(7) })
 *   .withMetadata({ topic: 'orders' })
 */
export class AsyncMessageInteraction extends MessageInteraction<MessagePart> {
  /** @internal Not in the public types. The core explains to untyped callers why the call is not supported. */
  willRespondWith(): this {
    return apply(this, 'will_respond_with', {})
  }
}

/**
 * A synchronous message: a request from the consumer and one or more responses from the provider.
 *
 * @example
 * contract
 *   .uponReceiving('a question for the price of a book', 'Sync')
 *   .withBody({ isbn: match.str('978-3-16') })
 *   .willRespondWith()
 *   .withBody({ price: match.number(12.5) })
 */
export class SyncMessageInteraction extends MessageInteraction<Part> {
  /** Starts a response, to which later calls apply. Each call adds a response. */
  willRespondWith(...none: readonly []): this {
    const [status] = none as readonly unknown[]
    return apply(this, 'will_respond_with', { status })
  }
}

trackCalls(MessageInteraction)
trackCalls(AsyncMessageInteraction)
trackCalls(SyncMessageInteraction)
