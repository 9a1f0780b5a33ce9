// Reloaded modules, terminated threads, and processes that must end by themselves, as in test runners.
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, jest, test } from '@jest/globals'
import { Contract } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const entry = require.resolve('contract')
const checkout = dirname(dirname(entry))

test('two test files run in one Jest process', () => {
  const folder = temporaryDirectory()
  writeFileSync(join(folder, 'package.json'), '{}')
  for (const name of ['one', 'two']) {
    writeFileSync(
      join(folder, `${name}.test.js`),
      `const { Contract, ContractArgumentError, MismatchesError, contract_ffi } = require(${JSON.stringify(entry)})
      test('${name}', async () => {
        contract_ffi.logToStderr('OFF')
        expect(() => new Contract('', 'b')).toThrow(ContractArgumentError)
        const contract = new Contract('${name}', 'users')
        contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(204)
        const status = await contract.serve(async ({ url }) => (await fetch(url + '/a')).status)
        expect(status).toBe(204)
        contract.uponReceiving('another').withRequest('GET', '/b').willRespondWith(204)
        await expect(contract.serve(() => {})).rejects.toThrow(MismatchesError)
      })`,
    )
  }
  const jestFile = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')

  const run = spawnSync(process.execPath, [jestFile, '--runInBand', '--rootDir', folder, '--detectOpenHandles'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  })

  expect(run.stderr).toContain('Tests:       2 passed, 2 total')
  expect(run.stderr).not.toContain('open handle')
  expect(run.status).toBe(0)
})

test('a worker thread is terminated while it serves, and the other continues', async () => {
  const code = `
    const { parentPort } = require('node:worker_threads')
    const { Contract } = require(${JSON.stringify(entry)})
    const contract = new Contract('worker', 'users')
    contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(204)
    contract.serve(async ({ url }) => {
      parentPort.postMessage(url)
      await new Promise((resolve) => parentPort.on('message', resolve))
      return (await fetch(url + '/a')).status
    }).then((status) => parentPort.postMessage(status)).finally(() => parentPort.close())`
  const [ended, staying] = [new Worker(code, { eval: true }), new Worker(code, { eval: true })]
  const [[endedUrl]] = await Promise.all([once(ended, 'message'), once(staying, 'message')])

  await ended.terminate()
  const answer = once(staying, 'message')
  staying.postMessage('go')

  expect(await answer).toEqual([204])
  await expect(fetch(`${endedUrl}/a`)).rejects.toThrow('fetch failed')
})

test('a worker thread is terminated while a state handler of its verification runs, and the other continues', async () => {
  const code = `
    const { parentPort } = require('node:worker_threads')
    const { Contract, Verifier } = require(${JSON.stringify(entry)})
    const contract = new Contract('worker', 'users')
    contract.uponReceiving('a request').given('a state').withRequest('GET', '/a').willRespondWith(204)
    const json = { consumer: { name: 'worker' }, provider: { name: 'users' }, interactions: contract.interactions() }
    const app = (request, response) => response.writeHead(204).end()
    new Verifier('users').addSource({ json }).addTransport({ app })
      .stateHandler(async () => {
        parentPort.postMessage('waiting')
        await new Promise((resolve) => parentPort.once('message', resolve))
      })
      .verify()
      .then(({ success }) => parentPort.postMessage(success), ({ message }) => parentPort.postMessage(message))`
  const [ended, staying] = [new Worker(code, { eval: true }), new Worker(code, { eval: true })]
  await Promise.all([once(ended, 'message'), once(staying, 'message')])

  await ended.terminate()
  const answer = once(staying, 'message')
  staying.postMessage('go')

  expect(await answer).toEqual([true])
})

test('two copies of the package work side by side', async () => {
  const folder = temporaryDirectory()
  mkdirSync(join(folder, 'dist'), { recursive: true })
  cpSync(join(checkout, 'dist', 'index.cjs'), join(folder, 'dist', 'index.cjs'))
  cpSync(join(checkout, 'npm'), join(folder, 'npm'), { recursive: true })
  const script = `
    const first = require(${JSON.stringify(entry)})
    const second = require(${JSON.stringify(join(folder, 'dist', 'index.cjs'))})
    const serve = async ({ Contract }, matchers) => {
      const contract = new Contract('web', 'users')
      contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(200)
        .withBody({ id: matchers.match.int(7), price: matchers.match.float(1) })
      return contract.serve(async ({ url }) => (await fetch(url + '/a')).text())
    }
    Promise.all([serve(first, second), serve(second, first)])
      .then((answers) => console.log(first.Contract !== second.Contract, ...answers))`

  const output = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 })

  expect(output.trim()).toBe('true {"id":7,"price":1.0} {"id":7,"price":1.0}')
})

test('a process ends by itself right after the last server stopped', () => {
  const script = `
    const { Contract, Verifier } = require(${JSON.stringify(entry)})
    const http = require('node:http')
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request').given('a state').withRequest('GET', '/a').willRespondWith(204)
    ;(async () => {
      await contract.serve(({ url }) => fetch(url + '/a'))
      const file = await contract.writeFile(process.argv[1])
      const server = http.createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1', async () => {
        const url = 'http://127.0.0.1:' + server.address().port
        await new Verifier('users').addSource(file).addTransport({ url }).stateHandler(async () => {}).verify()
        server.close()
        server.closeAllConnections()
        const done = performance.now()
        process.on('exit', () => console.log(Math.round(performance.now() - done)))
      })
    })()`

  const output = execFileSync(process.execPath, ['-e', script, temporaryDirectory()], {
    encoding: 'utf8',
    timeout: 20_000,
  })

  expect(Number(output)).toBeLessThan(3000)
})

test('fake timers do not stop a server', async () => {
  jest.useFakeTimers()
  try {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(204)
    const server = await contract.serve({ raises: false })
    await server.stop()
    expect(server.matched).toBe(false)
  } finally {
    jest.useRealTimers()
  }
})

test('with node:test, reports what a test that never resolves waits for, and the next one is served', () => {
  const folder = temporaryDirectory()
  const file = join(folder, 'a.test.cjs')
  writeFileSync(
    file,
    `const { test } = require('node:test')
    const { Contract } = require(${JSON.stringify(entry)})
    const contract = new Contract('web', 'users', { timeout: 500 })
    test('waits', async () => {
      contract.uponReceiving('a').withRequest('GET', '/a').willRespondWith(200)
      await contract.serve(() => new Promise(() => setInterval(() => {}, 1000).unref()))
    })
    test('is served after it', async () => {
      contract.uponReceiving('b').withRequest('GET', '/b').willRespondWith(200)
      await contract.serve(({ url }) => fetch(url + '/b'))
    })`,
  )
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const run = spawnSync(process.execPath, ['--test', file], { cwd: folder, encoding: 'utf8', env })
  expect(run.stdout).toMatch(
    /did not finish within 0\.5 s\. No request was received\. Does the client use the URL of the mock server\?/,
  )
  expect(run.stdout).toMatch(/pass 1\n.*fail 1\n/)
})
