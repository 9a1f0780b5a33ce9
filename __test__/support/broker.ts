import { type JsonObject, Verifier } from 'contract'
import { type RunningBroker, startBroker } from 'contract/broker'
import { asking, contractOf } from './contracts.ts'
import { withProvider } from './provider.ts'

/** A client for the HTTP API of a broker. */
export class Asked {
  readonly broker: RunningBroker
  readonly #headers: Record<string, string>

  constructor(broker: RunningBroker, headers: Record<string, string> = {}) {
    this.broker = broker
    this.#headers = headers
  }

  static async start(options: Parameters<typeof startBroker>[0] = {}): Promise<Asked> {
    const { credentials } = options
    const basic = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
    return new Asked(await startBroker(options), basic === undefined ? {} : { authorization: `Basic ${basic}` })
  }

  get url(): string {
    return this.broker.url
  }

  async send(method: string, path: string, body?: object): Promise<JsonObject> {
    const answer = await fetch(path.startsWith('http') ? path : this.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...this.#headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }

  /** Publishes a contract with the provider `users`. */
  async publish(contract: Readonly<JsonObject>, version = '1', branch = 'main'): Promise<void> {
    const consumer = (contract.consumer as { name: string }).name
    const provider = (contract.provider as { name: string }).name
    await this.send('POST', '/contracts/publish', {
      pacticipantName: consumer,
      pacticipantVersionNumber: version,
      branch,
      contracts: [
        {
          consumerName: consumer,
          providerName: provider,
          specification: 'pact',
          contentType: 'application/json',
          content: Buffer.from(JSON.stringify(contract)).toString('base64'),
        },
      ],
    })
  }

  /** The newest result of the newest contract of a consumer. */
  async result(consumer = 'web', provider = 'users'): Promise<JsonObject> {
    const contract = await this.send('GET', `/pacts/provider/${provider}/consumer/${consumer}/latest`)
    const links = contract._links as Record<string, { href: string }>
    return await this.send('GET', String(links['pb:latest-verification-results']?.href))
  }

  async stop(): Promise<void> {
    await this.broker.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** A contract with one request, which passes if the provider responds with 200. */
export const wants = (status = 200, consumer = 'web') => contractOf([asking('/1', status)], { consumer })

/** Verifies against a provider that answers every request with 200. */
export function verified(change: (verifier: Verifier) => unknown, run: Parameters<Verifier['verify']>[0] = {}) {
  const answer = (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(200).end()
  return withProvider(answer as never, async (url) => {
    const verifier = new Verifier('users').addTransport(url)
    change(verifier)
    return await verifier.verify(run)
  })
}
