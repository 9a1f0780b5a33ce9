// Assertions for the `expect` of a test runner: `expect.extend(contractMatchers)`.
import { rejectCall } from '../arguments.js'
import type { MockServer } from '../mock-server.js'

/** The result of an assertion, as Jest and Vitest expect it. */
export interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** Assertions about mock servers. */
export interface ContractAssertions<R = unknown> {
  /** Checks that a mock server has received all expected requests so far, and no others. */
  toHaveMatched(): R
}

/** The functions behind {@link ContractAssertions}. */
export const contractMatchers = {
  toHaveMatched(received: unknown): MatcherResult {
    const server = received as Partial<MockServer> | null | undefined
    if (typeof server?.verify !== 'function' || typeof server.matched !== 'boolean') {
      rejectCall('toHaveMatched', 'the value must be a mock server, for example mockServer of contractTest')
    }
    return {
      pass: server.matched,
      message: () => {
        const text = problemOf(server as MockServer)
        return text === undefined
          ? 'expect(mockServer).not.toHaveMatched(): all expected requests were received, and no others'
          : `expect(mockServer).toHaveMatched(): ${text}`
      },
    }
  },
}

function problemOf(server: MockServer): string | undefined {
  try {
    server.verify()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
