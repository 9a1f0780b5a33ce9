// Assertions for the `expect` of a test runner: `expect.extend(contractMatchers)`.
import { rejectCall } from '../arguments.js'
import { deferred } from '../load-deferred.js'
import type { MockServer } from '../mock-server.js'
import type { Template } from '../template.js'

/** The result of an assertion in the format that Jest and Vitest require. */
export interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** Assertions about values and mock servers. */
export interface ContractAssertions<R = unknown> {
  /**
   * Checks that the value matches a template, using the same rules as a verification. Fields that the template does not contain
   * are ignored.
   *
   * @example
   * import { match } from 'contract'
   * import { expect } from 'vitest'
   *
   * expect({ id: 7 }).toMatchTemplate({ id: match.int(1) })
   */
  toMatchTemplate(template: Template<unknown>): R
  /** Checks that a mock server has received all expected requests and no unexpected ones. */
  toHaveMatched(): R
}

/** The implementations of {@link ContractAssertions}. */
export const contractMatchers = {
  toMatchTemplate(received: unknown, template: Template<unknown>): MatcherResult {
    const mismatches = deferred().compareWithTemplate(template, received)
    const lines = mismatches.map(({ place, mismatch, explanation }) =>
      [`  ${place}: ${mismatch}`, ...(explanation?.split('\n').map((line) => `    ${line}`) ?? [])].join('\n'),
    )
    return {
      pass: mismatches.length === 0,
      message: () =>
        mismatches.length === 0
          ? 'expect(value).not.toMatchTemplate(template): the value matches the template'
          : `expect(value).toMatchTemplate(template): the value does not match the template\n\n${lines.join('\n')}`,
    }
  },

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
          ? 'expect(mockServer).not.toHaveMatched(): all expected requests and no unexpected ones were received'
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
