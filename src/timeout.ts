import { clearTimeout, setTimeout } from 'node:timers'

/** How a call ended: with its value, with the error that it threw, or with a timeout. */
export type Settled<T> = { readonly value: T } | { readonly cause: unknown } | { readonly timedOut: true }

/**
 * Calls a function with a timeout in milliseconds; 0 means no timeout. Uses `node:timers`, which fake timers do not
 * replace.
 */
export async function settle<T>(call: () => T | Promise<T>, milliseconds: number): Promise<Settled<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Settled<T>>((resolve) => {
    if (milliseconds > 0) timer = setTimeout(() => resolve({ timedOut: true }), milliseconds)
  })
  try {
    return await Promise.race([(async () => ({ value: await call() }))(), late])
  } catch (cause) {
    return { cause }
  } finally {
    clearTimeout(timer)
  }
}
