import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { type JsonObject, VerificationError } from 'contract'
import { temporaryDirectory } from './temporary.ts'

type Json = Record<string, unknown>

/** A V4 contract file with HTTP interactions for the provider `users`. */
export function contractOf(interactions: readonly Json[], { consumer = 'web', provider = 'users' } = {}): JsonObject {
  return {
    consumer: { name: consumer },
    provider: { name: provider },
    interactions: interactions.map((interaction) => ({ type: 'Synchronous/HTTP', ...interaction }) as JsonObject),
    metadata: { pactSpecification: { version: '4.0' } },
  }
}

/** Writes it to a file. */
export function contractFile(
  interactions: readonly Json[],
  names: { consumer?: string; provider?: string } = {},
): string {
  const file = join(temporaryDirectory(), 'contract.json')
  writeFileSync(file, JSON.stringify(contractOf(interactions, names)))
  return file
}

/** A request and the status that is expected. */
export function asking(path: string, status = 200, more: Json = {}): Json {
  const { states = [], ...others } = more as { states?: readonly string[] }
  return {
    description: `a request for ${path}`,
    providerStates: states.map((name) => ({ name })),
    request: { method: 'GET', path },
    response: { status },
    ...others,
  }
}

/** Returns the error of a run. */
export async function failureOf(run: Promise<unknown>): Promise<VerificationError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VerificationError)
  return error as VerificationError
}
