// The walks in docs/walks.md: the value at each step that is visible from outside.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Contract, type MismatchesError, match, type StateValues, type VerificationReport, Verifier } from 'contract'
import { jsonText } from './support/functions.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contract-walk-'))
})

afterEach(() => rmSync(directory, { recursive: true }))

/** Writes the contract of a request for user 7, as a consumer test does. */
async function written(): Promise<{ readonly request: Record<string, unknown>; readonly providerStates: unknown }> {
  const contract = new Contract('web', 'users', { directory })
  contract
    .uponReceiving('a request for user 7')
    .given('user exists', { parameters: { id: 7 } })
    .withRequest('GET', match.fromProviderState('/users/${id}', '/users/7'))
    .withHeader('X-Trace', match.regex('a1', /[a-z]\d+/))
    .willRespondWith(200)
    .withJsonBody({ id: match.int(7) })
  await contract.serve(async ({ url }) => {
    await fetch(`${url}/users/7`, { headers: { 'x-trace': 'b22' } })
  })
  return JSON.parse(readFileSync(join(directory, 'web-users.json'), 'utf8')).interactions[0]
}

/** Verifies it against a provider that responds with this body. Returns the received requests and the report. */
async function verified(body: unknown, handler: (action: string, parameters: unknown) => StateValues) {
  const requests: IncomingMessage[] = []
  const provider = createServer((request, response) => {
    requests.push(request)
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = provider.address() as AddressInfo
    const verifier = new Verifier('users').addSource(directory).addTransport(`http://127.0.0.1:${port}`)
    await verifier
      .stateHandler({ 'user exists': handler })
      .verify()
      .catch(() => {})
    return { requests, report: verifier.results as VerificationReport }
  } finally {
    provider.close()
  }
}

test('a matcher: from TypeScript to a mismatch message', async () => {
  expect(jsonText(match.int(7))).toBe('{"contract:matcher:type":"integer","value":7}')
  const contract = new Contract('web', 'users')
  contract
    .uponReceiving('a user')
    .withRequest('POST', '/users')
    .withJsonBody({ id: match.int(7) })
  expect(contract.interactions()[0]).toMatchObject({
    request: {
      body: { content: { id: 7 } },
      matchingRules: { body: { '$.id': { matchers: [{ match: 'integer' }] } } },
    },
  })
  const headers = { 'Content-Type': 'application/json' }
  const test = ({ url }: { readonly url: string }) =>
    fetch(`${url}/users`, { method: 'POST', headers, body: '{"id":"9"}' })
  const error = await contract.serve(test).catch((error: MismatchesError) => error)
  const sentence = "Expected '9' (String) to be an integer"
  expect(error).toMatchObject({
    mismatches: [{ mismatches: [{ kind: 'integer', path: '$.id', pointer: '/id', mismatch: sentence }] }],
  })
  expect((error as MismatchesError).message).toContain(sentence)
})

test('a state parameter: to a handler and back into a generator', async () => {
  expect(await written()).toMatchObject({
    providerStates: [{ name: 'user exists', params: { id: 7 } }],
    request: { path: '/users/7', generators: { path: { type: 'ProviderState', expression: '/users/${id}' } } },
  })
  const calls: unknown[] = []
  const { requests, report } = await verified({ id: 9 }, (action, parameters) => {
    calls.push([action, parameters])
    return { id: 9 }
  })
  expect(calls).toEqual([['setup', { id: 7 }]])
  expect(requests.map(({ url }) => url)).toEqual(['/users/9'])
  expect(report.success).toBe(true)
})

test('a header: from the builder to the file to the verifier', async () => {
  const { request } = await written()
  expect(request).toMatchObject({
    headers: { 'X-Trace': ['a1'] },
    matchingRules: { header: { 'X-Trace': { matchers: [{ match: 'regex', regex: '[a-z][0-9]+' }] } } },
  })
  const { requests } = await verified({ id: 7 }, () => ({}))
  expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['a1'])
})
