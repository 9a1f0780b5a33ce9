import { encoded } from './encoded.js'
import type { InteractionError, InteractionReport } from './generated/report.js'
import type { MessageQuestion } from './message-handlers.js'
import { messageRequest } from './message-handlers.js'
import type { NativeCall } from './native/binding.js'
import { native } from './native/load.js'
import { mutable, type NativeRequest } from './verifier/request.js'

type Call = (...values: unknown[]) => unknown

/** The user's own functions, which the core calls by their numbers. */
export class Functions {
  readonly core = new native.NativeFunctions()
  readonly #kept: Call[] = []
  /** What they threw, by the number of the call. */
  readonly #thrown = new Map<number, unknown>()
  #running = 0

  /** Hands over what a call was given; the functions of what is refused are forgotten. */
  hand<T>(given: unknown, over: (text: string) => T): T {
    const before = this.#kept.length
    try {
      return over(
        encoded(given, (call, owner) => this.#kept.push((...values) => Reflect.apply(call, owner, values)) - 1),
      )
    } catch (error) {
      this.#kept.length = before
      throw error
    }
  }

  /** Lets the core call; gives what ends that. */
  listen(): () => void {
    if (this.#running === 0) this.core.open((call) => void this.#answer(call))
    this.#running += 1
    return () => {
      this.#running -= 1
      if (this.#running > 0) return
      this.core.close()
      this.#thrown.clear()
    }
  }

  /** What was thrown in the call of this number. */
  thrown(token: number): unknown {
    return this.#thrown.get(token)
  }

  async #answer({ id, function: number, role, arguments: text }: NativeCall): Promise<void> {
    try {
      this.core.settle(id, encoded(await this.#call(this.#kept[number] as Call, role, JSON.parse(text))), null)
    } catch (error) {
      this.#thrown.set(id, error)
      this.core.settle(id, null, messageOf(error))
    }
  }

  /** Gives arguments the shape in which users know them. */
  async #call(call: Call, role: string, values: unknown[]): Promise<unknown> {
    switch (role) {
      case 'message':
        return await call(messageRequest(values[0] as MessageQuestion))
      case 'requestFilter': {
        const request = mutable(values[0] as NativeRequest)
        return (await call(request, values[1])) ?? request
      }
      case 'after': {
        const result = values[1] as InteractionReport
        for (const error of [result.error, result.teardownError] as (undefined | (InteractionError & Token))[]) {
          if (error?.token === undefined) continue
          explain(error, this.thrown(error.token))
          delete error.token
        }
        return await call(...values)
      }
      default:
        return await call(...values)
    }
  }
}

interface Token {
  token?: number
}

/** Puts what was thrown beside what the core says about it; not enumerable, as the cause of an Error. */
export function explain(error: InteractionError, cause: unknown): void {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause })
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
