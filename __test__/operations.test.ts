// The cases that Rust runs, too: fixtures/operations.
import { describe, expect, test } from '@jest/globals'
import { type ContractArgumentError, generate, graphql, match, xml } from 'contract'
import { argumentsOf, type CoreFunction, camel, functionOf, jsonText, operations } from './support/functions.ts'

interface Case {
  readonly name: string
  readonly call: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly gives?: unknown
  readonly refused?: { readonly code: string; readonly argument?: string; readonly text: string }
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

/** A text of the core with names as TypeScript spells them. */
function spelled(text: string): string {
  return text.replace(/allow_empty: true/, '{ allowEmpty: true }').replace(/\b[a-z]+(_[a-z0-9]+)+\b/g, camel)
}

/** Calls that TypeScript makes in another way, or cannot make. */
const elsewhere = [
  'a function that there is not',
  'an argument given twice',
  // There, what stands first without a second argument is the pattern or the example by what it is.
  'no pattern',
  'a pattern where the example stands',
  // Elements and texts are told apart before the call.
  'an element with attributes and children',
  'a root',
  'an attribute that is a list',
]

describe.each(['match', 'generate', 'xml'])('%s', (file) => {
  const cases = operations<Case[]>(file).filter(
    ({ name, call }) => functionOf(call) !== undefined && !elsewhere.includes(name),
  )
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const call = () => functionOf(one.call)?.(...argumentsOf(one.call, one.arguments))
    if (one.refused === undefined) {
      expect(JSON.parse(jsonText(call()))).toEqual(one.gives)
      return
    }
    let thrown: unknown
    try {
      call()
    } catch (error) {
      thrown = error
    }
    const { code, argument, message } = thrown as ContractArgumentError
    const { text, ...expected } = one.refused
    expect({ code, argument }).toEqual({
      code: expected.code,
      argument: expected.argument === undefined ? undefined : camel(expected.argument),
    })
    expect(message).toBe(spelled(text))
  })
})

test('what a JavaScript number cannot say is kept', () => {
  expect(jsonText(match.float(1))).toBe('{"contract:matcher:type":"decimal","value":1.0}')
  expect(jsonText(match.int(12345678901234567890n))).toContain('12345678901234567890')
  expect(jsonText(match.json('1.0'))).toBe('1.0')
  expect(jsonText(match.eachLike({ a: match.json('1e2') }))).toContain('[{"a":1e2}]')
})

test('elements hold elements and texts', () => {
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
    'xml.element: the attribute id must be a text, a number, a boolean or a matcher for one, got a list',
  )
})
