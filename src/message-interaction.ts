import { apply } from './handles.js'
import { Interaction, type MessagePart, type Part, type PartOptions } from './interaction.js'
import type { JsonValue } from './json.js'
import type { Template } from './template.js'

/** What messages have: metadata. */
abstract class MessageInteraction<P extends Part> extends Interaction<P> {
  /**
   * Metadata beside the contents: text, values or matchers. `null` takes an entry away, `''` stores the empty text and the
   * text `null` stores JSON null. The provider must have what stands here, and may have more.
   *
   * @example
   * message.withMetadata({ topic: 'orders', partition: match.int(3) })
   */
  withMetadata(metadata: Readonly<Record<string, Template<JsonValue>>>, options?: PartOptions<P>): this {
    return apply(this, 'with_metadata', { metadata }, options)
  }
}

/**
 * A message from the provider to the consumer. It has no response.
 *
 * @example
 * contract
 *   .uponReceiving('an order was placed', 'Async')
 *   .given('an order exists', { parameters: { id: 7 } })
 *   .withBody({ id: match.int(7) })
 *   .withMetadata({ topic: 'orders' })
 */
export class AsyncMessageInteraction extends MessageInteraction<MessagePart> {
  /** @internal The types say that it does not exist; callers without types get the reason instead of "is not a function". */
  willRespondWith(): this {
    return apply(this, 'will_respond_with', {})
  }
}

/**
 * A message from the consumer and the provider's responses: one, or several in order.
 *
 * @example
 * contract
 *   .uponReceiving('a question for the price of a book', 'Sync')
 *   .withBody({ isbn: match.str('978-3-16') })
 *   .willRespondWith()
 *   .withBody({ price: match.number(12.5) })
 */
export class SyncMessageInteraction extends MessageInteraction<Part> {
  /** Begins a response; each call begins a further one. */
  willRespondWith(...none: readonly []): this {
    const [status] = none as readonly unknown[]
    return apply(this, 'will_respond_with', { status })
  }
}
