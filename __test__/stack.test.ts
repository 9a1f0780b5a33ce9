// The output of uncaught errors: the message and the user's line.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import * as contractPackage from 'contract'
import { Contract, Verifier } from 'contract'
import * as brokerPackage from 'contract/broker'

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

/** The prototypes of an object up to those of the language. */
function prototypes(object: object): object[] {
  const found: object[] = []
  let next: object | null = object
  const known: readonly object[] = [Object.prototype, Error.prototype, TypeError.prototype, AggregateError.prototype]
  while (next !== null && !known.includes(next)) {
    found.push(next)
    next = Object.getPrototypeOf(next)
  }
  return found
}

test('each method that is called without its object throws an illegal invocation', async () => {
  const contract = new Contract('web', 'orders')
  const http = contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
  const server = await contract.serve()
  await server.stop().catch(() => undefined)
  const kinds = ['Async', 'Sync'] as const
  const messages = kinds.map((kind) => new Contract('web', kind).uponReceiving('a message', kind as 'Async'))
  const instances = [http, server, ...messages].map((one): object => Object.getPrototypeOf(one))
  const isClass = (value: unknown): value is { readonly prototype: object } =>
    typeof value === 'function' && String(value).startsWith('class')
  const exported: readonly unknown[] = [...Object.values(contractPackage), ...Object.values(brokerPackage)]
  const classes = exported.filter(isClass)
  const all = [...classes.map(({ prototype }) => prototype), ...instances].flatMap(prototypes)
  const wrong: string[] = []
  let count = 0
  for (const prototype of new Set(all)) {
    for (const key of Reflect.ownKeys(prototype)) {
      if (key === 'constructor') continue
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, key) as PropertyDescriptor
      for (const object of [undefined, {}, Object.create(prototype)]) {
        count += 1
        try {
          // A getter may return a method.
          const found: unknown = get === undefined ? value : get.call(object)
          await (typeof found === 'function' ? found.call(object) : undefined)
          wrong.push(`${prototype.constructor.name}.${String(key)} returns`)
        } catch (error) {
          const { message } = error as Error
          if (message === 'illegal invocation: the object was not created by this package') continue
          // Names of methods of pact-js only give advice.
          if (message.includes(': this is a method of pact-js.')) continue
          wrong.push(`${prototype.constructor.name}.${String(key)}: ${message}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(300)
})

test('methods keep their names and numbers of parameters', () => {
  expect([Verifier.prototype.verify.name, Contract.prototype.uponReceiving.length]).toEqual(['verify', 1])
})
