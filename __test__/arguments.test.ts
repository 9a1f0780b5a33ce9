import { describe, expect, test } from '@jest/globals'
import { Contract, ContractArgumentError, match } from 'contract'

/** What a call throws; every one of them throws at once. */
function refusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ContractArgumentError)
    expect(error).toBeInstanceOf(TypeError)
    const { code, message } = error as ContractArgumentError
    return `${code}: ${message}`
  }
  throw new Error('the call was not refused')
}

const interaction = () => new Contract('web', 'users').uponReceiving('a request')

describe('arguments that make no sense are refused by the call they are given to', () => {
  test.each([
    ['an empty consumer', () => new Contract('', 'users')],
    ['a blank provider', () => new Contract('web', ' ')],
    ['an unknown version', () => new Contract('web', 'users').withSpecification('V5')],
    ['a version that is not written', () => new Contract('web', 'users', { specification: 'v1' })],
    ['an empty description', () => new Contract('web', 'users').uponReceiving('')],
    ['an unknown kind', () => new Contract('web', 'users').uponReceiving('x', 'FTP' as 'HTTP')],
    ['a name without value', () => interaction().given('s', { name: 'a' } as never)],
    ['a value without name', () => interaction().given('s', { value: 1 } as never)],
    ['both forms of parameters', () => interaction().given('s', { name: 'a', value: 1, parameters: {} } as never)],
    ['an unknown option of given', () => interaction().given('s', { id: 1 } as never)],
    ['undefined in parameters', () => interaction().given('s', { parameters: { a: { b: undefined } } as never })],
    ['a path with a query', () => interaction().withRequest('GET', '/users?a=1')],
    ['a path without slash', () => interaction().withRequest('GET', 'users')],
    ['a method that is none', () => interaction().withRequest('GET IT', '/')],
    ['a status that is none', () => interaction().willRespondWith(99)],
    ['a header name that is none', () => interaction().withHeader('a b', 'c')],
    ['a header with a line break', () => interaction().withHeader('a', 'b\r\nc: d')],
    ['text that is not the JSON it claims to be', () => interaction().withBody('{', 'application/json')],
    ['a content type that is none', () => interaction().withBody('a', 'text')],
    ['a Date in a body', () => interaction().withBody({ at: new Date(0) } as never)],
    ['a number that JSON has not', () => interaction().withBody({ n: Number.NaN })],
    ['a body that contains itself', () => interaction().withBody(cyclic())],
    ['an unknown matcher', () => interaction().withBody({ a: { 'contract:matcher:type': 'typo', value: 1 } })],
    ['a pattern that does not compile', () => match.regex('a', '(')],
    ['an example that its pattern refuses', () => match.regex('abc', /^\d+$/)],
    ['a flag that is not supported', () => match.regex('abc', /abc/y)],
    ['an example that is no whole number', () => match.int(1.5)],
    ['an example outside its bounds', () => match.int(1, { min: 2 })],
    ['a UUID that is none', () => match.uuid('1234')],
    ['a date that is none', () => match.date('2023-02-29')],
    ['a format that means nothing', () => match.datetime('x', { format: 'yyyy-MM-ddThh' })],
    ['an empty list by accident', () => match.eachLike(1, { min: 0 })],
    ['sizes the wrong way round', () => match.like([1], { min: 2, max: 1 })],
  ])('%s', (_, call) => {
    expect(refusal(call)).toMatchSnapshot()
  })

  test('the same interaction with two contents names both places', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(200)
    contract.uponReceiving('a request').withRequest('GET', '/b').willRespondWith(200)

    await expect(contract.serve(() => {})).rejects.toThrow(
      /defined twice.*\n.*arguments\.test\.ts:\d+.*\n.*arguments\.test\.ts:\d+/,
    )
  })

  test('an interaction that has been served cannot be changed any more', async () => {
    const contract = new Contract('web', 'users')
    const served = contract.uponReceiving('a request').withRequest('GET', '/a').willRespondWith(200)
    await contract.serve(({ url }) => fetch(`${url}/a`))

    expect(refusal(() => served.withHeader('a', 'b'))).toContain('has been served')
  })
})

function cyclic(): object {
  const body: { self?: object } = {}
  body.self = body
  return body
}
