// The cases of fixtures/operations, which Rust also runs.
import { describe, expect, test } from '@jest/globals'
import { Contract, type ContractArgumentError, generate, graphql, match, Verifier, xml } from 'contract'
import { perform, spelledCall } from './support/builder.ts'
import { argumentsOf, type CoreFunction, camel, functionOf, jsonText, operations } from './support/functions.ts'
import { withoutCode } from './support/without-code.ts'

interface Case {
  readonly name: string
  readonly call: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly argument?: string; readonly text: string }
}

const functions = operations<CoreFunction[]>('functions')

test('TypeScript has the functions of the core, no more and no fewer', () => {
  const namespaces: Readonly<Record<string, object>> = { match, generate, graphql, xml }
  const ours = Object.entries(namespaces).flatMap(([namespace, functions]) =>
    Object.keys(functions).map((name) => `${namespace}.${name}`),
  )
  const theirs = functions.flatMap(({ name, aliases }) => [name, ...aliases]).map(camel)
  // A method of elements, and one of interactions.
  const methods = ['xml.element.each', 'withBearerToken']
  expect(ours.sort()).toEqual(theirs.filter((name) => !methods.includes(name)).sort())
})

/** Converts the core's names in a message to TypeScript names. */
function spelled(text: string): string {
  const withSettings = text.replace(/allow_empty: true|parameters: \{ … \}/, '{ $& }')
  return withSettings.replace(/\bwith_graphql\b/g, 'withGraphQL').replace(/\b[a-z]+(_[a-z0-9]+)+\b/g, camel)
}

/** Removes positional arguments from the list of options. */
function withoutArguments(text: string): string {
  return text.replace(/Options: [a-zA-Z, ]+/, 'Options: …')
}

/** Calls that TypeScript makes differently, or cannot make. */
const elsewhere = [
  'an unknown function',
  'an argument passed twice',
  // In these calls, a single argument is the pattern or the example, depending on its type.
  'a missing pattern',
  'a pattern in place of the example',
  // Elements and strings are distinguished before the call.
  'an element with attributes and children',
  'a root',
  'an array as attribute',
]

describe.each(['match', 'generate', 'xml'])('%s', (file) => {
  const cases = operations<Case[]>(file).filter(
    ({ name, call }) => functionOf(call) !== undefined && !elsewhere.includes(name),
  )
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const call = () => functionOf(one.call)?.(...argumentsOf(one.call, one.arguments))
    if (one.error === undefined) {
      expect(JSON.parse(jsonText(call()))).toEqual(one.result)
      return
    }
    let thrown: unknown
    try {
      call()
    } catch (error) {
      thrown = error
    }
    const { code, argument, message } = thrown as ContractArgumentError
    const { text, ...expected } = one.error
    expect({ code, argument }).toEqual({
      code: expected.code,
      argument: expected.argument === undefined ? undefined : camel(expected.argument),
    })
    expect(withoutArguments(withoutCode(message, code))).toBe(withoutArguments(spelled(text)))
  })
})

test('values that a JavaScript number cannot represent are kept', () => {
  expect(jsonText(match.float(1))).toBe('{"contract:matcher:type":"decimal","value":1.0}')
  expect(jsonText(match.int(12345678901234567890n))).toContain('12345678901234567890')
  expect(jsonText(match.json('1.0'))).toBe('1.0')
  expect(jsonText(match.eachLike({ a: match.json('1e2') }))).toContain('[{"a":1e2}]')
})

test('elements can contain elements and text', () => {
  const tea = xml.element('item', {}, match.str('tea')).each({ min: 2 })
  expect(JSON.parse(jsonText(xml.body(xml.element('order', { id: match.int(7) }, tea, 'note'))))).toEqual({
    name: 'order',
    attributes: { id: { 'contract:matcher:type': 'integer', value: 7 } },
    children: [
      {
        name: 'item',
        attributes: {},
        children: [{ text: { 'contract:matcher:type': 'type', value: 'tea' } }],
        each: { min: 2, examples: 2 },
      },
      { text: 'note' },
    ],
  })
  expect(() => xml.element('a', { id: [1] as never })).toThrow(
    'xml.element: the attribute id must be a string, a number, a boolean, or a matcher, received an array',
  )
})

interface Call {
  readonly of: 'contract' | 'interaction' | 'options'
  readonly name: string
  readonly arguments: readonly string[]
}

const calls = operations<Call[]>('calls')

test('TypeScript has the operations of the core, no more and no fewer', () => {
  const contract = new Contract('web', 'users')
  const methods = new Set<string>()
  for (const kind of ['HTTP', 'Async', 'Sync'] as const) {
    let prototype: object | null = contract.uponReceiving(kind, kind)
    while (prototype !== null && prototype !== Object.prototype) {
      for (const name of Object.getOwnPropertyNames(prototype)) methods.add(name)
      prototype = Object.getPrototypeOf(prototype)
    }
  }
  const ofInteractions = calls.filter(({ of }) => of === 'interaction').map(({ name }) => spelledCall(name))
  // Shortcuts for other operations, and the one that runs a test.
  const ownWays = ['constructor', 'givenWith', 'pending', 'executeTest']
  expect([...methods].filter((name) => !ownWays.includes(name)).sort()).toEqual(ofInteractions.sort())
  for (const { name } of calls.filter(({ of }) => of === 'contract')) {
    expect(contract).toHaveProperty(spelledCall(name), expect.any(Function))
  }
})

/** The methods of a class and of its base classes. */
function methodsOf(made: object): string[] {
  const methods = new Set<string>()
  for (let at = Object.getPrototypeOf(made); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function') methods.add(name)
    }
  }
  return [...methods]
}

test('TypeScript has the operations of the verifier, no more and no fewer', () => {
  const verifier = new Verifier('users')
  const named = (kind: string) => calls.filter(({ of }) => of === kind).map(({ name }) => spelledCall(name))
  // Methods about runs and results, and aliases.
  const ownWays = [
    'constructor',
    'verify',
    'prepare',
    'prepareSync',
    'suite',
    // Rejected with advice for users of pact-js.
    'verifyProvider',
    'output',
    'writeReport',
    'setErrorOnEmptyPact',
    'setColoredOutput',
  ]
  const methods = methodsOf(verifier).filter((name) => !ownWays.includes(name))
  // A selector builder has its own methods.
  expect(methods.sort()).toEqual(
    named('verifier')
      .filter((name) => name !== 'select')
      .sort(),
  )
  const builder = verifier.brokerSource({ url: 'http://127.0.0.1:1', selector: true })
  const ofBuilder = methodsOf(builder).filter((name) => name !== 'constructor')
  expect(ofBuilder.sort()).toEqual(named('selector').sort())
})

interface BuilderCase {
  readonly name: string
  readonly calls: readonly Readonly<Record<string, Readonly<Record<string, unknown>>>>[]
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly operation?: string; readonly text: string }
}

/** Calls that TypeScript cannot make: it has no such method, or spreads its options itself. */
const notOfTypeScript = [
  'an unknown operation',
  'options that are not an object',
  'an interaction without response',
  'a header on a message',
  'an unknown argument',
]

describe('builder', () => {
  const cases = operations<BuilderCase[]>('builder').filter(({ name }) => !notOfTypeScript.includes(name))
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, { calls: made, result, error: expected }) => {
    const contract = new Contract('web', 'orders')
    const run = () => {
      let current: object | undefined
      for (const call of made) {
        for (const [name, args] of Object.entries(call)) current = perform(contract, current, name, args) ?? current
      }
    }
    if (expected === undefined) {
      run()
      expect(contract.interactions()).toEqual(result)
      return
    }
    let thrown: unknown
    try {
      run()
      contract.interactions()
    } catch (error) {
      thrown = error
    }
    const { name, code, operation, message } = thrown as ContractArgumentError
    // Only a binding knows where interactions are defined.
    const text = withoutCode(message, code).replace(/ \(defined at [^)]+\)/g, '')
    expect({ name, code, operation, text: withoutArguments(text) }).toEqual({
      name: 'ContractArgumentError',
      code: expected.code,
      operation: expected.operation && spelledCall(expected.operation),
      text: withoutArguments(spelled(expected.text)),
    })
  })
})
