import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract, type ContractOptions, type HttpInteraction, MismatchesError } from 'contract'
import { temporaryDirectory } from './temporary.ts'

/** The result of one request. */
export interface Exchange {
  /** The status of the response. */
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The mismatches, such as `BodyMismatch $.id`; empty if the request matched. */
  readonly differences: readonly string[]
  /** The interaction in the contract file; missing if the request did not match. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the document
  readonly written: any
}

/** Defines one interaction, sends one request with a real client, and returns the result. */
export async function exchange(
  define: (interaction: HttpInteraction) => unknown,
  send: (url: string) => Promise<Response>,
  options: ContractOptions = {},
): Promise<Exchange> {
  const directory = temporaryDirectory()
  const contract = new Contract('web', 'users', { ...options, directory })
  define(contract.uponReceiving('a request'))
  let answer: Pick<Exchange, 'status' | 'headers' | 'text'> | undefined
  let differences: string[] = []
  try {
    await contract.serve(async ({ url }) => {
      const response = await send(url)
      answer = { status: response.status, headers: response.headers, text: await response.text() }
    })
  } catch (error) {
    if (!(error instanceof MismatchesError)) throw error
    differences = error.mismatches.flatMap(described)
  }
  if (answer === undefined) throw new Error('nothing was sent')
  const file = join(directory, 'web-users.json')
  const written = differences.length === 0 ? JSON.parse(readFileSync(file, 'utf8')).interactions[0] : undefined
  return { ...answer, differences, written }
}

function described(mismatch: MismatchesError['mismatches'][number]): string[] {
  const details: readonly object[] = 'mismatches' in mismatch ? mismatch.mismatches : []
  if (details.length === 0) return [mismatch.type]
  return details.map((detail) => {
    const { type, path, key, parameter } = detail as Record<string, string>
    return [type, path ?? key ?? parameter].filter(Boolean).join(' ')
  })
}

/** Sends a POST with this body. */
export function post(body: NonNullable<RequestInit['body']>, contentType?: string, path = '/') {
  const headers: Record<string, string> = contentType === undefined ? {} : { 'Content-Type': contentType }
  return (url: string) => fetch(`${url}${path}`, { method: 'POST', headers, body })
}

/** Sends JSON. */
export function postJson(value: unknown, path = '/') {
  return post(JSON.stringify(value), 'application/json', path)
}
