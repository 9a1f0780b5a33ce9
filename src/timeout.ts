import { clearTimeout, setTimeout } from 'node:timers'

/** How a call ended: with a value, with what it threw, or not in time. */
export type Settled<T> = { readonly value: T } | { readonly cause: unknown } | { readonly timedOut: true }

/** Calls and waits, but not for ever; 0 is without end. The timer is Node's own, which a test's fake timers leave alone. */
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
