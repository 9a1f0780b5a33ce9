// With @pact-foundation/pact: a contract that contract record wrote.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract.js')
const directory = temporaryDirectory()
const run = promisify(execFile)

/** Responds with values that differ from the recorded ones. */
const answering =
  (name: string): RequestListener =>
  (request, response) => {
    const body =
      request.method === 'POST'
        ? { id: 12 }
        : {
            [name]: 'Ann',
            id: 3,
            at: '2026-11-24T10:00:00.5Z',
            key: '0b8f4f52-0c52-4a36-b0d4-4a1f3f9f3c55',
            tags: ['x', 'y'],
          }
    const status = request.method === 'POST' ? 201 : 200
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

function entry(method: string, path: string, status: number, text: string, more: object = {}): object {
  const content = { size: text.length, mimeType: 'application/json', text }
  return {
    startedDateTime: '2026-11-24T10:00:00Z',
    request: { method, url: `http://h${path}`, headers: [], ...more },
    response: { status, headers: [{ name: 'Content-Type', value: 'application/json' }], content },
  }
}

test('a recorded contract is verified by pact-js, which detects a renamed field', async () => {
  const user =
    '{"name":"Bob","id":7,"at":"2026-01-01T00:00:00Z","key":"7d44b1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10","tags":["a"]}'
  const entries = [
    entry('GET', '/users/7?page=1', 200, user),
    entry('POST', '/users', 201, '{"id":9}', { postData: { mimeType: 'application/json', text: '{"name":"Bob"}' } }),
  ]
  const archive = join(directory, 'session.har')
  writeFileSync(archive, JSON.stringify({ log: { version: '1.2', entries } }))
  const names = ['--consumer', 'web', '--provider', 'users', '--out', directory]
  await run(process.execPath, [launcher, 'record', '--har', archive, ...names])
  const verify = (name: string): Promise<unknown> =>
    withProvider(answering(name), async (url) => {
      const args = [join(__dirname, 'support', 'verify.cjs'), partners, join(directory, 'web-users.json'), url]
      const { stdout } = await run(process.execPath, args)
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    })
  expect(await verify('name')).toEqual({
    'GET /users/{number} returns 200': 'passed',
    'POST /users returns 201': 'passed',
  })
  expect(await verify('fullName')).toEqual({
    'GET /users/{number} returns 200': 'failed',
    'POST /users returns 201': 'passed',
  })
})
