import { describe, expect, test } from '@jest/globals'
import { Contract, ContractArgumentError, generate, graphql, match, xml } from 'contract'
import { withoutCode } from './support/without-code.ts'

/** Returns the error that a call throws. */
function refusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ContractArgumentError)
    expect(error).toBeInstanceOf(TypeError)
    const { code, message } = error as ContractArgumentError
    return `${code}: ${withoutCode(message, code).replaceAll(process.cwd(), '<cwd>')}`
  }
  throw new Error('the call was not refused')
}

const interaction = () => new Contract('web', 'users').uponReceiving('a request')

describe('invalid arguments throw immediately', () => {
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
    ['a request with an unknown member', () => interaction().withRequest({ status: 200 } as never)],
    ['a response with an unknown member', () => interaction().willRespondWith({ code: 200 } as never)],
    ['an interaction with an unknown member', () => new Contract('a', 'b').interaction({ given: 'x' } as never)],
    ['a method without path', () => interaction().withRequest('GET', undefined as never)],
    ['a path in an object with a query', () => interaction().withRequest({ path: '/a?b=c' })],
    ['defaults of something else', () => new Contract('a', 'b').defaults({ request: { body: 1 } } as never)],
    ['a default header that is none', () => new Contract('a', 'b').defaults({ request: { headers: { 'a b': 'c' } } })],
    ['a default status that is none', () => new Contract('a', 'b').defaults({ response: { status: 99 } })],
    ['a Blob', () => interaction().withBinaryBody(new Blob(['a']) as never)],
    ['bytes that are none', () => interaction().withBinaryBody('abc' as never)],
    ['a match that bytes have not', () => interaction().withBinaryBody(new Uint8Array(1), { match: 'size' } as never)],
    ['bytes by a type that is none', () => interaction().withBinaryBody(new Uint8Array(1), { match: 'contentType' })],
    [
      'bytes that are not of their type',
      () => interaction().withBinaryBody(Buffer.from('GIF89a'), { match: 'contentType', contentType: 'image/png' }),
    ],
    ['a file that is not there', () => interaction().withBinaryFile('not/there.png')],
    ['a part that is not there', () => interaction().withMultipartFile('a', 'not/there.png')],
    ['a part without name', () => interaction().withMultipart([{ name: '', text: 'a' }])],
    ['a part with two contents', () => interaction().withMultipart([{ name: 'a', text: 'a', json: 1 }])],
    ['a part of an unknown form', () => interaction().withMultipart([{ name: 'a', value: 1 } as never])],
    ['a boundary that is none', () => interaction().withMultipart([{ name: 'a', text: 'b' }], { boundary: 'ä' })],
    [
      'two boundaries',
      () =>
        interaction()
          .withMultipart([{ name: 'a', text: 'b' }], { boundary: 'x' })
          .withMultipart([{ name: 'b', text: 'c' }], { boundary: 'y' }),
    ],
    ['a part with a line break in its name', () => interaction().withMultipart([{ name: 'a\n', text: 'b' }])],
    ['an object in a form', () => interaction().withFormBody({ a: { b: 1 } as never })],
    ['a form of another type', () => interaction().withFormBody({ a: '1' }, 'application/json')],
    ['a cookie that cannot be sent', () => interaction().withCookie('a', 'b; c')],
    [
      'a matcher that its cookie does not match',
      () => interaction().withCookie('a', match.regex('b', /b/)).withCookie('c d', 'e'),
    ],
    ['an unknown category of rules', () => interaction().withMatchingRules({ headers2: {} } as never)],
    ['an unknown rule', () => interaction().withMatchingRules({ body: { '$.a': { match: 'typ' } } })],
    [
      'a rule with a bad pattern',
      () => interaction().withMatchingRules({ body: { '$.a': { match: 'regex', regex: '(' } } }),
    ],
    ['a rule without name', () => interaction().withMatchingRules({ body: { '$.a': { combine: 'AND' } } })],
    ['an unknown generator', () => interaction().withGenerators({ body: { '$.a': { type: 'Random' } } })],
    ['an XML name that is none', () => interaction().withXmlBody(xml.element('a b'))],
    ['a prefix that is not declared', () => interaction().withXmlBody(xml.element('s:a'))],
    ['two texts with a matcher', () => interaction().withXmlBody(xml.element('a', 'x', match.str('y')))],
    ['null in XML', () => interaction().withXmlBody(xml.element('a', null as never))],
    ['text that is no XML', () => interaction().withXmlBody('<a>')],
    ['elements fewer than one', () => interaction().withXmlBody(xml.element('a', xml.element('b').each({ min: 0 })))],
    ['a root that stands often', () => interaction().withXmlBody(xml.element('a').each())],
    ['a query that is no GraphQL', () => interaction().withGraphQL({ query: '{ a( }' })],
    ['a schema in place of a query', () => graphql.document('type User { id: ID }')],
    ['a variable that is missing', () => interaction().withGraphQL({ query: 'query ($id: ID!) { a(id: $id) }' })],
    ['an operation that is not there', () => interaction().withGraphQL({ query: 'query A { a }', operationName: 'B' })],
    ['a query without text', () => interaction().withGraphQL({ query: { kind: 'Document' } })],
    ['a text after a number', () => match.any(match.int(1), match.str('a'))],
    ['one alternative', () => match.any(...(['a'] as never as ['a', 'b']))],
    ['an alternative that is no matcher', () => match.any(match.int(1), 2 as never)],
    ['a second exact value', () => match.any(match.equal(1), match.equal(2))],
    ['any inside all', () => match.all(match.any('a', 'b'), match.str('a'))],
    ['matchers that cannot both hold', () => match.all(match.str('a'), match.int(1))],
    ['a pattern for nothing', () => match.regex('a', undefined as never)],
    ['an example below its minimum', () => match.number(1, { min: 2 })],
    ['a size beside an example', () => match.str('a', { size: 3 })],
    ['a generator that is none', () => match.str('a', { generator: match.uuid() })],
    ['like without example', () => match.like(undefined as never)],
    ['more examples than allowed', () => match.atMostLike('a', 1, 2)],
    ['no variants', () => match.arrayContaining([])],
    ['a content type without example', () => match.contentType('image/png', undefined as never)],
    ['an unknown class of status codes', () => match.status('fine' as never)],
    ['a provider state without example', () => match.fromProviderState('${id}', undefined)],
    ['a path that is none', () => match.pathFromProviderState('/a/${id}', 'a/7')],
    ['a preset with another example', () => match.email('alice')],
    ['a piece of a URL that is none', () => match.url({ path: match.str('a') })],
    ['a generator with bounds the wrong way round', () => generate.int({ min: 2, max: 1 })],
    ['a generator of negative size', () => generate.str(-1)],
    ['a generator with a bad pattern', () => generate.regex('(')],
    ['a generator of an unknown UUID', () => generate.uuid({ format: 'short' as never })],
    ['a generator with a bad format', () => generate.date({ format: 'yyyy-MM-ddThh' })],
    ['a generator with a bad expression', () => generate.date({ expression: 'some day' })],
    ['a generator that has no example', () => interaction().withBody({ id: generate.providerState('${id}') })],
  ])('%s', (_, call) => {
    expect(refusal(call)).toMatchSnapshot()
  })

  test('the error for one interaction with two contents shows both locations', async () => {
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

    expect(refusal(() => served.withHeader('a', 'b'))).toContain('was already served')
  })
})

function cyclic(): object {
  const body: { self?: object } = {}
  body.self = body
  return body
}
