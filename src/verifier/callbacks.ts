import type { JsonObject } from '../json.js'
import { MessageHandlers } from '../message-handlers.js'
import type { NativeCall, NativeVerification } from '../native/binding.js'
import type { InteractionError, InteractionReport } from '../report.js'
import { toJsonText } from '../template.js'
import type { AfterEach, BeforeEach, HeaderValue } from './options.js'
import { filtered, type InteractionInfo, type RequestFilter } from './request.js'
import { type StateAction, States } from './states.js'

/** The user's own code, which the core calls while it verifies. */
export class Callbacks {
  readonly states = new States()
  messages: MessageHandlers | undefined
  readonly headers = new Map<string, HeaderValue>()
  readonly requestFilters: RequestFilter[] = []
  readonly before: BeforeEach[] = []
  readonly after: AfterEach[] = []
  /** What it threw, by the number of the call. */
  readonly #thrown = new Map<number, unknown>()
  #running = 0

  /** Lets the core call; gives what ends that. */
  listen(core: NativeVerification): () => void {
    const answer = (call: NativeCall) => {
      this.#answer(call).then(
        (value) => core.settle(call.id, value, null),
        (error) => {
          this.#thrown.set(call.id, error)
          core.settle(call.id, null, messageOf(error))
        },
      )
    }
    if (this.#running === 0) core.open(answer)
    this.#running += 1
    return () => {
      this.#running -= 1
      if (this.#running > 0) return
      core.close()
      this.#thrown.clear()
    }
  }

  async #answer({ kind, payload }: NativeCall): Promise<string> {
    const data = JSON.parse(payload)
    switch (kind) {
      case 'state': {
        const { state, action, parameters } = data as { state: string; action: StateAction; parameters: JsonObject }
        const values = await this.states.handle(state, action, parameters)
        return toJsonText(values ?? null, `the values of the state ${JSON.stringify(state)}`)
      }
      case 'header': {
        const value = this.headers.get(data.name)
        return JSON.stringify(typeof value === 'function' ? await value() : (value ?? ''))
      }
      case 'message':
        return (this.messages ?? new MessageHandlers()).answer(data)
      case 'requestFilter':
        return filtered(data, this.requestFilters)
      case 'before':
        for (const hook of this.before) await hook(data as { interaction: InteractionInfo })
        return 'null'
      case 'after': {
        const { interaction, result } = data as { interaction: InteractionInfo; result: InteractionReport }
        this.explain(result)
        for (const hook of this.after) await hook({ interaction }, result)
        return 'null'
      }
      default:
        throw new Error(`there is nothing to call for ${kind}`)
    }
  }

  /** Puts what the user's own code threw where the core left the number of the call. */
  explain({ error, teardownError }: InteractionReport): void {
    for (const of of [error, teardownError] as ({ token?: number } & InteractionError)[]) {
      if (of?.token === undefined) continue
      // Not enumerable, as that of an Error: reports are written as JSON.
      if (this.#thrown.has(of.token)) Object.defineProperty(of, 'cause', { value: this.#thrown.get(of.token) })
      delete of.token
    }
  }
}

/** Whatever was thrown, in words. */
function messageOf(error: unknown): string {
  try {
    const isLikeError = typeof error === 'object' && error !== null && 'message' in error
    return String(isLikeError ? (error as { message: unknown }).message : error)
  } catch {
    return 'something was thrown that has no text'
  }
}
