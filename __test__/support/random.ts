/** Repeatable random choices (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  /** Returns true with the probability `1/times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.once(2))
  }
}

/** Seeds of a test: a range such as `100..300`, from a variable of the environment. */
export function seedsOf(variable: string, byDefault: string): number[] {
  const [first = 0, end = 0] = (process.env[variable] ?? byDefault).split('..').map(Number)
  return Array.from({ length: end - first }, (_, index) => first + index)
}
