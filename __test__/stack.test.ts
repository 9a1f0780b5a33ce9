// The output of uncaught errors: the message and the user's line.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { Contract } from 'contract'

function thrownBy(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

/** The frames of the stack, innermost first. */
function frames({ stack = '' }: Error): string[] {
  return stack.split('\n').filter((line) => /^ {4}at /.test(line))
}

test('the first frame is the line of the test', () => {
  const error = thrownBy(() => new Contract('', 'orders'))
  expect(frames(error)[0]).toContain('stack.test.ts')
  expect(error.stack).not.toContain('index.cjs')
})

test('keeps messages with lines that look like frames', () => {
  const error = thrownBy(() =>
    new Contract('web', 'orders').uponReceiving('x', '\n    at nowhere (index.cjs:1:1)' as 'HTTP'),
  )
  expect(error.stack).toContain(error.message)
})

test('a rejection has the frames of the test', async () => {
  const contract = new Contract('web', 'orders')
  contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
  const error = await contract.serve(() => undefined).catch((error: Error) => error)
  expect((error as Error).message).toContain('GET /')
  expect((error as Error).stack).not.toMatch(/\n {4}at .*index\.cjs/)
})

test('an uncaught error prints at most a screen', () => {
  const code = `const { Contract } = require(${JSON.stringify(require.resolve('contract'))}); new Contract('', 'orders')`
  const { stderr, status } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('consumer')
  expect(stderr.length).toBeLessThan(2000)
})

test('the bundle has no very long lines', () => {
  const lines = readFileSync(require.resolve('contract'), 'utf8').split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1000)
})

test('a method called without its object throws an illegal invocation', async () => {
  const text = 'illegal invocation: the object was not created by this package'
  for (const object of [undefined, {}]) {
    await expect(Contract.prototype.serve.call(object as Contract)).rejects.toThrow(text)
  }
})
