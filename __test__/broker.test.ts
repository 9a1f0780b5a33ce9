// A broker for tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { ContractArgumentError } from 'contract'
import { startBroker } from 'contract/broker'
import { temporaryDirectory } from './support/temporary.ts'

const contract = {
  interactions: [{ description: 'all orders', request: { path: '/orders' }, response: { status: 200 } }],
}

async function put(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const init = {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
  return (await fetch(url + path, init)).status
}

describe('startBroker', () => {
  test('brokers of two tests are independent', async () => {
    await using one = await startBroker()
    await using other = await startBroker()
    expect(await put(one.url, '/pacts/provider/shop/consumer/web/version/1', contract)).toBe(201)
    expect((await fetch(`${one.url}/pacts/provider/shop/consumer/web/latest`)).status).toBe(200)
    expect((await fetch(`${other.url}/pacts/provider/shop/consumer/web/latest`)).status).toBe(404)
  })

  test('data in a file is available after a restart', async () => {
    const db = `sqlite:${join(temporaryDirectory(), 'broker.sqlite')}`
    const first = await startBroker({ db })
    expect(await put(first.url, '/pacts/provider/shop/consumer/web/version/1', contract)).toBe(201)
    await first.stop()
    await first.stop()
    await using second = await startBroker({ db })
    expect((await fetch(`${second.url}/pacts/provider/shop/consumer/web/version/1`)).status).toBe(200)
  })

  test('names with passwords', async () => {
    const [credentials, readOnlyCredentials] = [
      { username: 'ci', password: 'secret' },
      { username: 'dev', password: 'less' },
    ]
    await using broker = await startBroker({ credentials, readOnlyCredentials })
    const as = (name: string) => ({ authorization: `Basic ${Buffer.from(name).toString('base64')}` })
    expect((await fetch(broker.url)).status).toBe(401)
    expect((await fetch(broker.url, { headers: as('dev:less') })).status).toBe(200)
    expect(await put(broker.url, '/pacticipants/web', {}, as('dev:less'))).toBe(403)
    expect(await put(broker.url, '/pacticipants/web', {}, as('ci:secret'))).toBe(201)
  })

  test('reports why a broker cannot start', async () => {
    await using broker = await startBroker()
    const port = Number(new URL(broker.url).port)
    await expect(startBroker({ port })).rejects.toMatchObject({
      message: expect.stringContaining('did not start: could not listen on'),
    })
  })

  test.each<[object, string | undefined, RegExp]>([
    [{ prot: 1 }, undefined, /startBroker: .*"?prot"?.*port/],
    [{ credentials: 'a' }, 'credentials', /^startBroker: credentials must be .*object/],
    [{ credentials: { user: 'a', pass: 'b' } }, 'credentials', /startBroker: credentials.*user.*username/],
    [{ credentials: { username: 'a' } }, 'credentials', /startBroker: .*password is missing/],
    [{ credentials: { username: undefined, password: 'b' } }, 'credentials', /startBroker: .*username is missing/],
    [{ credentials: { username: '', password: 'b' } }, 'credentials', /credentials\.username must not be empty/],
    [{ credentials: { username: 'a:b', password: 'b' } }, 'credentials', /credentials\.username .*colon/],
    [
      { readOnlyCredentials: { username: 'a', password: 'b' } },
      'readOnlyCredentials',
      /readOnlyCredentials requires credentials/,
    ],
    [{ db: 'postgres:user:secret@host' }, 'db', /^startBroker: db must be memory, sqlite:PATH, or postgres:/],
    [{ port: 65_536 }, 'port', /^startBroker: port must be/],
  ])('no broker is started with %j', async (options, argument, message) => {
    const started = startBroker(options)
    // A broker that has started nevertheless must be stopped.
    started.then((broker) => broker.stop()).catch(() => {})
    const error = (await started.catch((error: unknown) => error)) as ContractArgumentError
    expect(error).toMatchObject({
      code: 'ERR_CONTRACT_OPTIONS',
      ...(argument && { argument }),
      message: expect.stringMatching(message),
    })
    expect(error.message).not.toMatch(/--|secret/)
  })

  test('it ends with the process that started it, even a killed one', async () => {
    const script = `require('contract/broker').startBroker().then((broker) => { console.log(broker.url); setInterval(() => {}, 1000) })`
    const parent = spawn(process.execPath, ['-e', script], { cwd: process.cwd(), stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string]
    expect((await fetch(line.trim())).status).toBe(200)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    const answers = () =>
      fetch(line.trim()).then(
        () => true,
        () => false,
      )
    while (await answers()) await new Promise((resolve) => setImmediate(resolve))
  })

  test('rejects without free file handles, and the process continues', async () => {
    const script = `
      const { closeSync, openSync } = require('node:fs')
      const { startBroker } = require('contract/broker')
      async function main() {
        await (await startBroker()).stop()
        const handles = []
        try {
          for (;;) handles.push(openSync(process.execPath))
        } catch {}
        const error = await startBroker().catch((error) => error)
        for (const handle of handles) closeSync(handle)
        console.log(error.code, error.message)
        await (await startBroker()).stop()
        console.log('and again')
      }
      main()`
    const limited = ['-c', 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, script]
    const parent = spawn('sh', limited, { cwd: process.cwd(), stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    parent.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text))
    expect(await once(parent, 'close')).toEqual([0, null])
    expect(lines.join('')).toMatch(
      /^ERR_CONTRACT_BROKER The broker did not start: spawn .*EMFILE \[ERR_CONTRACT_BROKER\]\nand again\n$/,
    )
  })

  test('does not keep the process alive', async () => {
    const script = `require('contract/broker').startBroker().then((broker) => console.log(broker.url))`
    const parent = spawn(process.execPath, ['-e', script], { cwd: process.cwd(), stdio: ['ignore', 'pipe', 'inherit'] })
    expect(await once(parent, 'exit')).toEqual([0, null])
  })
})

test('contract-broker serve ends when its launcher is killed', async () => {
  const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract-broker.js')
  const serve = [launcher, 'serve', '--listen', '127.0.0.1:0', '--db', 'memory', '--log-level', 'error']
  const parent = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = /http:\S+/.exec(line)?.[0] ?? ''
  expect((await fetch(`${url}/diagnostic/status/heartbeat`)).status).toBe(200)
  // The broker has the same pipe, which closes when both processes have exited.
  const closed = once(parent.stdout, 'close')
  parent.kill('SIGKILL')
  await closed
  await expect(fetch(url)).rejects.toThrow()
})
