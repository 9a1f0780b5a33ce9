// Functions and options named in messages must exist in TypeScript. fixtures/operations/advice.json contains the names of the core.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import * as contract from 'contract'
import * as broker from 'contract/broker'
import { camel, operations } from './support/functions.ts'

interface Advice {
  readonly of: 'broker' | 'verifier' | 'contract'
  readonly operations: readonly string[]
  readonly options: readonly string[]
}

const advice = operations<Advice[]>('advice')
const calls = operations<{ of: string; name: string }[]>('calls')

/** The functions of an object and of the objects in it: `publish`, `versions.describe`. */
function functionsIn(holder: object): Map<string, (...args: never[]) => unknown> {
  const found = new Map<string, (...args: never[]) => unknown>()
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === 'function') found.set(name, value)
    if (typeof value !== 'object' || name === 'default') continue
    for (const [member, inner] of Object.entries(value as object)) {
      if (typeof inner === 'function') found.set(`${name}.${member}`, inner)
    }
  }
  return found
}

const methods = [contract.Contract, contract.Verifier]
  .flatMap((one) => Object.getOwnPropertyNames(one.prototype))
  .concat(interactionMethods(), selectorMethods())

function interactionMethods(): string[] {
  const found: string[] = []
  const defined = new contract.Contract('web', 'shop')
  for (const kind of ['HTTP', 'Async', 'Sync'] as const) {
    let at: object = defined.uponReceiving(kind, kind as 'HTTP')
    for (; at !== Object.prototype; at = Object.getPrototypeOf(at)) found.push(...Object.getOwnPropertyNames(at))
  }
  return found
}

function selectorMethods(): string[] {
  const begun = new contract.Verifier('shop').brokerSource({ url: 'http://127.0.0.1:1', selector: true })
  return Object.getOwnPropertyNames(Object.getPrototypeOf(begun))
}

const ofBroker = functionsIn(broker)
const declared = new Set(
  readdirSync(join(__dirname, '../dist/types'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((file) => [...readFileSync(join(__dirname, '../dist/types', file), 'utf8').matchAll(/\b(\w+)\??:/g)])
    .map(([, name]) => name),
)

/** The function name in an error of each function, which the advice of the core uses. */
async function told(): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [name, call] of ofBroker) {
    if (/^[A-Z]|^startBroker$|\.[A-Z]/.test(name)) continue
    const error = await (call as (...args: unknown[]) => Promise<unknown>)(
      ...(name === 'publish' ? ['a.json', { nonsense: 1 }] : [{ nonsense: 1 }]),
    ).catch((error: contract.ContractArgumentError) => error)
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_OPTIONS' })
    const { message, operation } = error as contract.ContractArgumentError
    expect(message.slice(0, message.indexOf(': '))).toBe(operation)
    names.set(name, String(operation))
  }
  return names
}

test('errors of broker functions start with the function name', async () => {
  const names = await told()
  expect([...names.values()]).toEqual([...names.keys()])
  expect(names.size).toBe(calls.filter(({ of }) => of === 'broker').length)
})

test('invalid options are rejected with the function name', () => {
  const call = () => broker.versions.describe(7 as never)
  return expect(Promise.resolve().then(call)).rejects.toThrow(/^versions\.describe: options must be an object/)
})

test('functions named in advice exist', async () => {
  const names = [...(await told()).values()]
  const surface = [...methods, ...functionsIn(contract).keys(), 'suite', 'optional']
  for (const { of, operations } of advice) {
    // The names of broker functions are those in their errors.
    const ours = of === 'broker' ? operations.map((name) => brokerName(name, names)) : operations.map(camel)
    expect(
      ours.filter((name) => !(of === 'broker' ? names : surface).includes(name.replace('contractFfi', 'contract_ffi'))),
    ).toEqual([])
  }
})

/** The TypeScript name of a call of the core, which has the same words. */
function brokerName(name: string, names: readonly string[]): string {
  const words = name.split('_').map((word) => word.replace(/s$/, ''))
  const isIt = (ours: string) => {
    const others = ours.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split(/[._]/)
    return others.length === words.length && others.every((word) => words.includes(word.replace(/s$/, '')))
  }
  return names.find(isIt) ?? name
}

test('options named in advice exist', () => {
  // One name is not an option: the message explains what to use instead.
  const missing = advice.flatMap(({ options }) => options.map(camel)).filter((name) => !declared.has(name))
  expect(missing).toEqual(['pfx'])
})
