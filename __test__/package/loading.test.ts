import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, jest, test } from '@jest/globals'
import { version } from 'contract'

test('the native core loads again when the test runner reloads modules', () => {
  jest.resetModules()
  expect(require('contract')).toMatchObject({ version })
})

test('several worker threads load it at once', async () => {
  const code = `require('node:worker_threads').parentPort.postMessage(require(${JSON.stringify(require.resolve('contract'))}).version)`
  const versions = await Promise.all(
    [1, 2, 3, 4].map(
      () =>
        new Promise((resolve, reject) => {
          new Worker(code, { eval: true }).on('message', resolve).on('error', reject)
        }),
    ),
  )
  expect(versions).toEqual([version, version, version, version])
})

test('a process that only loads it ends by itself', () => {
  execFileSync(process.execPath, ['-e', `require(${JSON.stringify(require.resolve('contract'))})`], { timeout: 60_000 })
})

test("Node's own modules that take long to load wait for the first call that needs them", () => {
  const code = `require(${JSON.stringify(require.resolve('contract'))}); process.moduleLoadList.join()`
  const loaded = execFileSync(process.execPath, ['-p', code], { encoding: 'utf8' }).trim().split(',')
  const dear = ['child_process', 'crypto', 'dgram', 'http', 'net', 'tls', 'worker_threads']
  expect(dear.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
  expect(loaded).toContain('NativeModule fs')
})

test('functions that few tests call are loaded on first use', () => {
  const code = `
    const contract = require(${JSON.stringify(require.resolve('contract'))})
    const loaded = () => Object.keys(require.cache).some((file) => file.endsWith('deferred.cjs'))
    const before = loaded()
    contract.messageEndpoint({ 'an event': () => ({}) })
    console.log(before, loaded())`
  expect(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })).toBe('false true\n')
})

test('each copy of the package has its own functions and classes after the test runner has reset its modules', async () => {
  const copies = ['first', 'second'].map(() => {
    jest.resetModules()
    return require('contract') as typeof import('contract')
  })
  const directory = mkdtempSync(join(tmpdir(), 'contract-copies-'))
  for (const { Contract, MessageVerificationError } of [...copies, ...copies]) {
    const contract = new Contract('web', 'events', { directory })
    contract.uponReceiving('an event', 'Async').withBody({ id: 1 })
    const handler = () => {
      throw new Error('not handled')
    }
    await expect(contract.verify(handler, 'Async')).rejects.toBeInstanceOf(MessageVerificationError)
    contract.uponReceiving('another event', 'Async').withBody({ id: 2 })
    await contract.verify(() => undefined, 'Async')
  }
  rmSync(directory, { recursive: true })
})
