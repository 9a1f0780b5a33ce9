import { encoded } from './encoded.js'
import { withoutCode } from './errors.js'
import type { InteractionError, InteractionReport } from './generated/report.js'
import type { NativeMessageRequest } from './message-handlers.js'
import { messageRequest } from './message-handlers.js'
import type { NativeCall } from './native/binding.js'
import { native } from './native/load.js'
import { mutable, type NativeRequest } from './verifier/request.js'

type Call = (...values: unknown[]) => unknown

/** Stores the user's functions, which the core calls by ID. */
export class Functions {
  readonly core = new native.NativeFunctions()
  readonly #registered: Call[] = []
  /** Errors that the functions threw, by the ID of the call. */
  readonly #thrown = new Map<number, unknown>()
  #running = 0

  /**
   * Passes arguments to the core as JSON text, and registers the functions in them. If the core rejects the arguments,
   * the functions are removed again.
   */
  pass<T>(args: unknown, receive: (text: string) => T): T {
    const before = this.#registered.length
    try {
      return receive(
        encoded(args, (call, owner) => this.#registered.push((...values) => Reflect.apply(call, owner, values)) - 1),
      )
    } catch (error) {
      this.#registered.length = before
      throw error
    }
  }

  /** Starts to accept calls from the core. Returns a function that stops accepting them. */
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

  /** Returns the error that a function threw in the call with this ID, or `undefined` if it threw none. */
  thrown(token: number): unknown {
    return this.#thrown.get(token)
  }

  async #answer({ id, function: number, role, arguments: text }: NativeCall): Promise<void> {
    try {
      this.core.settle(id, encoded(await this.#call(this.#registered[number] as Call, role, JSON.parse(text))), null)
    } catch (error) {
      this.#thrown.set(id, error)
      this.core.settle(id, null, messageOf(error))
    }
  }

  /**
   * Calls a function with the arguments that it expects for its role, such as a `MutableRequest` for a request filter.
   */
  async #call(call: Call, role: string, values: unknown[]): Promise<unknown> {
    switch (role) {
      case 'message':
        return await call(messageRequest(values[0] as NativeMessageRequest))
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

/** Adds the original error as `cause`. As in an `Error`, the property is not enumerable. */
export function explain(error: InteractionError, cause: unknown): void {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause })
}

/** Returns the message of a thrown value, which need not be an `Error`. */
function messageOf(error: unknown): string {
  try {
    const isLikeError = typeof error === 'object' && error !== null && 'message' in error
    return withoutCode(String(isLikeError ? (error as { message: unknown }).message : error))
  } catch {
    return 'the thrown value has no message'
  }
}
