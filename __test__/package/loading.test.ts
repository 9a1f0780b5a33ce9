import { execFileSync } from 'node:child_process'
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
  execFileSync(process.execPath, ['-e', `require(${JSON.stringify(require.resolve('contract'))})`], { timeout: 10_000 })
})

test("Node's own modules that take long to load wait for the first call that needs them", () => {
  const code = `require(${JSON.stringify(require.resolve('contract'))}); process.moduleLoadList.join()`
  const loaded = execFileSync(process.execPath, ['-p', code], { encoding: 'utf8' }).trim().split(',')
  const dear = ['child_process', 'crypto', 'dgram', 'http', 'net', 'tls', 'worker_threads']
  expect(dear.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
  expect(loaded).toContain('NativeModule fs')
})
