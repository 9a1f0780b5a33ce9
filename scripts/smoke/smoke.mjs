// Runs in an empty project in which the packages are installed, with the Node of the platform under test. Uses each part of the package
// once. Prints one line for each check, and fails on the first error.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { packPlugin } from '@contract-testing/plugin'
import { Contract, match, Verifier } from 'contract'

const require = createRequire(import.meta.url)
/** Windows starts programs of packages through scripts. */
const programs = { shell: process.platform === 'win32' }
// The shell of Windows requires backslashes.
const program = (name) => join('node_modules', '.bin', name)

async function check(title, work) {
  const started = performance.now()
  await work()
  console.log(`ok ${title} (${Math.round(performance.now() - started)} ms)`)
}

/** Returns the body of a response. Not by fetch, whose connections fail in Wine 8. */
async function read(url) {
  const [response] = await once(get(url), 'response')
  return text(response)
}

async function run(name, args) {
  const child = spawn(program(name), args, { ...programs, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [status] = await once(child, 'close')
  return { status, output }
}

/** A provider of users, whose states are recorded. */
async function withProvider(work) {
  const server = createServer(({ url }, response) => {
    const body = url === '/users/1' ? { id: 1, name: 'Bob' } : {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    return await work(server.address().port)
  } finally {
    server.close()
  }
}

rmSync('contracts', { recursive: true, force: true })

await check('import and require return the same classes', () => {
  assert.equal(require('contract').Contract, Contract)
})

await check('a consumer test writes a contract', async () => {
  const contract = new Contract('web', 'users', { directory: 'contracts' })
  contract
    .uponReceiving('a request for user 1')
    .given('user 1 exists')
    .withRequest('GET', '/users/1')
    .willRespondWith(200)
    .withBody({ id: match.int(1), name: match.str('Alice') })
  const user = await contract.serve(async ({ url }) => JSON.parse(await read(`${url}/users/1`)))
  assert.deepEqual(user, { id: 1, name: 'Alice' })
  assert.equal(JSON.parse(readFileSync('contracts/web-users.json', 'utf8')).interactions.length, 1)
})

await check('an unexpected request fails the test', async () => {
  const contract = new Contract('web', 'users', { directory: 'contracts' })
  contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(200)
  await assert.rejects(
    contract.serve(async ({ url }) => void (await read(`${url}/b`))),
    { code: 'ERR_CONTRACT_MISMATCHES' },
  )
})

await check('a message', async () => {
  const contract = new Contract('mailer', 'users', { directory: 'contracts' })
  contract.uponReceiving('a registration', 'Async').withBody({ id: match.int(7) }, 'application/json')
  const received = []
  await contract.verify((body) => void received.push(body), 'Async')
  assert.deepEqual(received, [{ id: 7 }])
})

await check('a verification with a state handler', () =>
  withProvider(async (port) => {
    const states = []
    const report = await new Verifier('users')
      .addSource('contracts/web-users.json')
      .addTransport({ port })
      .stateHandler({
        'user 1 exists': { setup: () => void states.push('setup'), teardown: () => void states.push('teardown') },
      })
      .verify()
    assert.equal(report.success, true)
    assert.deepEqual(states, ['setup', 'teardown'])
  }),
)

await check('contract verify', () =>
  withProvider(async (port) => {
    const args = ['verify', '--file', 'contracts/web-users.json', '--provider-name', 'users', '--port', String(port)]
    const { status, output } = await run('contract', args)
    assert.equal(status, 0, output)
    assert.match(output, /1 passed/)
  }),
)

await check('contract-broker serve, publish, and can-i-deploy', async () => {
  const child = spawn(
    program('contract-broker'),
    ['serve', '--listen', '127.0.0.1:0', '--db', 'sqlite:broker.sqlite', '--stop-with-stdin'],
    programs,
  )
  try {
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    let url
    for (let tries = 0; url === undefined && tries < 600 && child.exitCode === null; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
    }
    assert.ok(url, `the broker did not start: ${output}`)
    const broker = ['--broker-base-url', url]
    const publish = ['publish', 'contracts/web-users.json', '--consumer-app-version', '1', ...broker]
    const published = await run('contract-broker', publish)
    assert.equal(published.status, 0, published.output)
    const verdict = await run('contract-broker', ['can-i-deploy', '--pacticipant', 'web', '--version', '1', ...broker])
    assert.equal(verdict.status, 1, verdict.output)
    assert.match(verdict.output, /web/)
  } finally {
    // On Windows, kill() would only end the shell.
    child.stdin.end()
    await once(child, 'close')
  }
})

await check('a plugin', async () => {
  rmSync('plugins', { recursive: true, force: true })
  packPlugin({ name: 'shout', version: '1.0.0', entry: 'plugin.mjs', directory: 'plugins' })
  const contract = new Contract('web', 'shouts', { directory: 'contracts', plugins: { directories: ['plugins'] } })
  contract
    .uponReceiving('a shout')
    .usingPlugin({ plugin: 'shout', version: '1.0.0' })
    .withRequest('GET', '/')
    .willRespondWith(200)
    .withPluginContents({ text: 'hello' }, 'text/shout')
  const answer = await contract.serve(({ url }) => read(url))
  assert.equal(answer, 'HELLO')
})

console.log('all checks passed')
