/** A message in the queue: bytes and headers. */
export interface QueueMessage {
  readonly topic: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Uint8Array
}

type Subscriber = (message: QueueMessage) => Promise<void>

/** A queue in memory that replaces a message broker such as Kafka or RabbitMQ. */
export class Queue {
  readonly #subscribers: Subscriber[] = []

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.push(subscriber)
  }

  async publish(message: QueueMessage): Promise<void> {
    for (const subscriber of this.#subscribers) await subscriber(message)
  }
}
