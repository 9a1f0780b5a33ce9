// Plugins that crash or stop responding during a consumer test: the request receives a response, the error of the test
// contains the plugin's last output, and the next request and the next test work.
import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const TYPE = 'application/x-pairs'
const plugins = temporaryDirectory()
beforeAll(() => {
  const entry = join(__dirname, 'support', 'pairs-plugin.mjs')
  packPlugin({ name: 'pairs', version: '1.0.0', entry, directory: plugins })
})

function define(timeout: number): Contract {
  const directory = temporaryDirectory()
  return new Contract('web', 'shop', { directory, plugins: { directories: [plugins], timeout } }).usingPlugin({
    plugin: 'pairs',
  })
}

const put = (url: string, path: string, body: string) =>
  fetch(`${url}${path}`, { method: 'PUT', body, headers: { 'content-type': TYPE } })

async function failure(promise: Promise<unknown>): Promise<MismatchesError> {
  const error = await promise.then(
    () => new Error('it passed'),
    (error: Error) => error,
  )
  expect(error).toBeInstanceOf(MismatchesError)
  return error as MismatchesError
}

describe.each([
  ['dies', 'die', /the plugin pairs 1\.0\.0 exited \(exit code 7\) during CompareContents/, 10_000],
  ['falls silent', 'never', /the plugin pairs 1\.0\.0 did not respond to CompareContents within 0\.3 seconds/, 300],
] as const)('a plugin that %s', (_, wish, problem, timeout) => {
  test('when it compares a request', async () => {
    const contract = define(timeout)
    for (const path of ['/a', '/b'])
      contract
        .uponReceiving(path)
        .withRequest('PUT', path)
        .withPluginContents({ [path.slice(1)]: '1' }, TYPE)
        .willRespondWith(204)
    const answers: (readonly [number, string])[] = []
    const error = await failure(
      contract.serve(async ({ url }) => {
        for (const [path, body] of [
          ['/a', `do=${wish}\n`],
          ['/b', 'b=1\n'],
        ] as const) {
          const answer = await put(url, path, body)
          answers.push([answer.status, await answer.text()])
        }
      }),
    )
    // The request that the plugin should have compared receives a response with the reason; the next one is not
    // affected.
    expect(answers.map(([status]) => status)).toEqual([500, 204])
    expect(answers[0]?.[1]).toMatch(problem)
    expect(error.message).toMatch(problem)
    if (wish === 'die') {
      expect(answers[0]?.[1]).toContain('pairs: out of memory')
      expect(error.message).toMatch(/Last output of the plugin:\s+pairs: out of memory/)
    }
    expect(error.mismatches).toHaveLength(1)
    // The next test is not affected either.
    contract.uponReceiving('c').withRequest('PUT', '/c').withPluginContents({ c: '1' }, TYPE).willRespondWith(204)
    await contract.serve(async ({ url }) => expect((await put(url, '/c', 'c=1\n')).status).toBe(204))
  })

  test('when it generates a response', async () => {
    const contract = define(timeout)
    contract
      .uponReceiving('numbers')
      .withRequest('GET', '/numbers')
      .willRespondWith(200)
      .withPluginContents({ wish, count: '{number}' }, TYPE)
    contract
      .uponReceiving('more numbers')
      .withRequest('GET', '/more')
      .willRespondWith(200)
      .withPluginContents({ count: '{number}' }, TYPE)
    const answers: (readonly [number, string])[] = []
    const error = await failure(
      contract.serve(async ({ url }) => {
        for (const path of ['/numbers', '/more']) {
          const answer = await fetch(url + path)
          answers.push([answer.status, await answer.text()])
        }
      }),
    )
    const generating = new RegExp(problem.source.replace('CompareContents', 'GenerateContent'))
    expect(answers[0]?.[0]).toBe(500)
    expect(answers[0]?.[1]).toMatch(generating)
    expect(answers[1]).toEqual([200, 'count=3\n'])
    expect(error.message).toMatch(generating)
    expect(error.mismatches).toHaveLength(1)
  })
})

test('a plugin that responds with 100 MB can be called again', async () => {
  const contract = define(20_000)
  const contents = (given: object) =>
    contract.uponReceiving('pairs').withRequest('PUT', '/').withPluginContents(given, TYPE).willRespondWith(204)
  expect(() => contents({ do: 'huge' })).toThrow('to ConfigureInteraction exceeds 64 MiB')
  contents({ a: '1' })
  await contract.serve(async ({ url }) => expect((await put(url, '/', 'a=1\n')).status).toBe(204))
})

test('a plugin that crashes while it runs the mock server', async () => {
  const contract = define(10_000)
  contract.uponReceiving('the colour', 'Sync').withPluginContents({ colour: 'red' }, TYPE)
  const error = await failure(contract.serve({ transport: 'pairs' }, async ({ port }) => void (await ask(port, 'die'))))
  expect(error.message).toMatch(/the plugin pairs 1\.0\.0 exited \(exit code 7\) during ShutdownMockServer/)
  expect(error.message).toContain('pairs: out of memory')
  contract.uponReceiving('the size', 'Sync').withPluginContents({ size: '7' }, TYPE)
  await contract.serve({ transport: 'pairs' }, async ({ port }) => expect(await ask(port, 'size')).toBe('7'))
})

// The long form is `npm run soak:plugins`: 500 interactions, 10 times.
test('verifications leave no processes behind, even if plugins crash', () => {
  const soak = join(__dirname, '..', 'scripts', 'soak-plugins.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [soak, '8', '2'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^8 interactions, 2 verifications.*\nbefore \{"processes":0,.*\nafter {2}\{"processes":0,/)
})

/** The response; nothing if the connection was lost. */
function ask(port: number, name: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${name}\n`))
    socket.on('data', (data) => {
      answer = String(data).trim()
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}
