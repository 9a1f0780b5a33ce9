// Every function of match, generate, xml, and graphql with invalid values: rejections have a readable message.
import { expect, test } from '@jest/globals'
import { Contract, match, xml } from 'contract'
import { argumentsOf, type CoreFunction, functionOf, operations } from './support/functions.ts'
import { complaint, oddValues } from './support/odd-values.ts'

interface Case {
  readonly call: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result?: unknown
}

const functions = operations<CoreFunction[]>('functions').filter(({ name }) => functionOf(name) !== undefined)
const cases = ['match', 'generate', 'xml'].flatMap((file) => operations<Case[]>(file))

/** Valid arguments for the other parameters. */
function usual(name: string): Readonly<Record<string, unknown>> {
  return cases.find(({ call, result }) => call === name && result !== undefined)?.arguments ?? {}
}

/** Uses the result, because later errors must be readable as well. */
function used(made: unknown): unknown {
  const interaction = new Contract('web', 'users').uponReceiving('a request').withRequest('GET', '/')
  return interaction.willRespondWith(200).withBody(made)
}

/** The values that are rejected with an unreadable message. */
async function complaints(calls: (value: unknown) => readonly (() => unknown)[]): Promise<string[]> {
  const found: string[] = []
  for (const [what, value] of oddValues) {
    for (const call of calls(value)) {
      const problem = await complaint(call)
      if (problem !== undefined) found.push(`${what}: ${problem}`)
    }
  }
  return found
}

test.each(functions.map((one) => [one.name, one] as const))('%s', async (name, { arguments: names }) => {
  const call = functionOf(name) as (...args: unknown[]) => unknown
  const good = argumentsOf(name, usual(name))
  const calls = (value: unknown) => [
    ...Array.from({ length: good.length + 1 }, (_, at) => () => {
      const args = [...good]
      args[at] = value
      return used(call(...args))
    }),
    ...names.map((option) => () => used(call(...good, { [option]: value }))),
    () => used(call(value)),
  ]
  expect(await complaints(calls)).toEqual([])
  expect(await complaint(() => used(call()))).toBeUndefined()
  // The next call works.
  expect(() => call(...good)).not.toThrow()
})

test('xml.element.each', async () => {
  const tea = xml.element('tea')
  const within = (element: unknown) => used(xml.element('order', element as never))
  const calls = (value: unknown) => [
    () => within(tea.each(value as never)),
    ...['min', 'max', 'examples', 'exampleLimit'].map((size) => () => within(tea.each({ [size]: value }))),
  ]
  expect(await complaints(calls)).toEqual([])
  expect(() => within(tea.each())).not.toThrow()
})

test('templates', async () => {
  const calls = (value: unknown) => [
    () => used(value),
    () => used({ a: value }),
    () => used([value]),
    () => used(match.like({ a: [value] as never })),
  ]
  expect(await complaints(calls)).toEqual([])
})
