// Code written for pact-js works, or the error names the alternative.
import { readFileSync } from 'node:fs'
import { expect, jest, test } from '@jest/globals'
import { Contract, type HttpInteraction, match, Verifier } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const begun = () => new Contract('web', 'orders').uponReceiving('a request')

/** Methods as seen by an untyped caller. */
const untyped = (interaction: HttpInteraction) =>
  interaction as unknown as Record<string, (...args: unknown[]) => unknown>

/** Returns the process warnings that a definition emits. */
function warnings(define: () => unknown): string[] {
  const emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  try {
    define()
    return emitted.mock.calls.map(([text]) => String(text))
  } finally {
    emitted.mockRestore()
  }
}

test('a callback that builds a request or a response is rejected', () => {
  expect(() => untyped(begun()).withRequest?.('GET', '/', () => {})).toThrow(
    "withRequest: a callback is not supported. Chain the calls instead: withRequest('POST', '/orders').withHeader(…).withBody(…)",
  )
  expect(() => untyped(begun().withRequest('GET', '/')).willRespondWith?.(200, () => {})).toThrow(
    'willRespondWith: a callback is not supported. Chain the calls instead: willRespondWith(200).withHeader(…).withBody(…)',
  )
})

test.each([
  ['dir', 'In this library, the option is "directory".'],
  ['spec', 'In this library, the option is "specification".'],
  ['pactfileWriteMode', 'In this library, the option is "writeMode".'],
  ['port', 'In this library, it is an option of serve().'],
  ['host', 'In this library, it is an option of serve().'],
  ['cors', 'In this library, it is an option of serve().'],
  ['ssl', 'In this library, it is an option of serve().'],
  ['logLevel', 'Use contract_ffi.logToStderr().'],
  ['log', 'Use contract_ffi.logToStderr().'],
])('the option %s of a contract is reported with its new name', (name, advice) => {
  expect(() => new Contract('web', 'orders', { [name]: 'x' })).toThrow(`unknown option "${name}". ${advice}`)
})

test.each([
  ['dir', 'Set "directory" in the options of Contract.'],
  ['spec', 'Set "specification" in the options of Contract.'],
  ['pactfileWriteMode', 'Set "writeMode" in the options of Contract.'],
  ['directory', 'Set "directory" in the options of Contract.'],
  ['consumer', 'Pass the names to Contract.'],
])('the option %s of a mock server is reported as an option of the contract', async (name, advice) => {
  const contract = new Contract('web', 'orders')
  const serve = () => contract.serve({ [name]: 'x' }, () => {})
  await expect(serve).rejects.toThrow(`unknown option "${name}". ${advice}`)
  contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(204)
  await contract.serve(({ url }) => fetch(url))
})

test.each([
  ['addInteraction', 'Use contract.uponReceiving(description), or contract.interaction('],
  ['addAsynchronousInteraction', "Use contract.uponReceiving(description, 'Async')"],
  ['addSynchronousInteraction', "Use contract.uponReceiving(description, 'Sync')"],
  ['expectsToReceive', "Use contract.uponReceiving(description, 'Async')"],
  ['given', 'Start with the description: contract.uponReceiving(description).given(state)'],
  ['executeTest', 'Use contract.serve(callback), which runs the test'],
  ['setup', 'Delete this call: contract.serve(callback) starts the mock server'],
  ['finalize', 'Delete this call: contract.serve(callback) writes the contract'],
  ['writePact', 'Delete this call: contract.serve(callback) writes the contract'],
  ['removeInteractions', 'Delete this call: each contract.serve(callback) serves only the interactions'],
])('the method %s of pact-js is rejected with its replacement', (name, advice) => {
  const contract = new Contract('web', 'orders') as unknown as Record<string, (...args: unknown[]) => unknown>
  expect(() => contract[name]?.({})).toThrow(`${name}: this is a method of pact-js. ${advice}`)
  expect(Object.keys(contract)).not.toContain(name)
})

test('calls of pact-js that verify are rejected with their replacements', async () => {
  const verifier = new Verifier('orders') as unknown as Record<string, () => unknown>
  expect(() => verifier.verifyProvider?.()).toThrow(
    'verifyProvider: this is a method of pact-js. Use verifier.verify()',
  )
  const contract = new Contract('web', 'orders')
  const verify = contract.verify.bind(contract) as (...args: unknown[]) => Promise<unknown>
  const serve = 'For HTTP interactions, use serve(callback)'
  await expect(verify()).rejects.toThrow(`as in verify(handler, 'Async'). ${serve}`)
  await expect(verify(() => {})).rejects.toThrow(`as in verify(handler, 'Async'). ${serve}`)
})

test.each([
  ['providerBaseUrl', 'Use transports.'],
  ['pactUrls', 'Use sources.'],
  ['pactBrokerUrl', 'Use brokerSource.'],
  ['providerVersionBranch', 'Use publishOptions.'],
  ['providerBranch', 'Use publishOptions.'],
  ['buildUrl', 'Use publishOptions.'],
  ['logLevel', 'Use contract_ffi.logToStderr.'],
])('the option %s of a verifier is reported with its new name', (name, advice) => {
  expect(() => new Verifier('orders', { [name]: 'x' })).toThrow(`unknown option "${name}". ${advice}`)
})

test('options of brokers, results and interactions are reported with their new names', () => {
  const verifier = () => new Verifier('orders')
  const unknown = (name: string, now: string) => `unknown option "${name}". In this library, the option is "${now}".`
  const options = (name: string) => ({ [name]: 'x' }) as never
  expect(() => verifier().brokerSource(options('pactBrokerToken'))).toThrow(unknown('pactBrokerToken', 'token'))
  expect(() => verifier().setPublishOptions(options('providerVersion'))).toThrow(unknown('providerVersion', 'version'))
  expect(() => verifier().brokerSource({ url: 'http://a', selector: options('enablePending') })).toThrow(
    unknown('enablePending', 'includePending'),
  )
  const contract = new Contract('web', 'orders')
  expect(() => contract.interaction(options('uponReceiving'))).toThrow(unknown('uponReceiving', 'description'))
})

test('matchStatus is a status', async () => {
  const contract = new Contract('web', 'orders')
  const matchStatus = { 'pact:matcher:type': 'statusCode', status: [200, 204], value: 204 }
  untyped(contract.uponReceiving('a request').withRequest('GET', '/')).willRespondWith?.(matchStatus)

  const { interactions } = JSON.parse(readFileSync(await contract.writeFile(temporaryDirectory()), 'utf8'))
  expect(interactions[0].response).toMatchObject({
    status: 204,
    matchingRules: { status: { matchers: [{ match: 'statusCode', status: [200, 204] }] } },
  })
})

test('a matcher of MatchersV2 is rejected by name', () => {
  const like = { value: 'a', 'pact:matcher:type': 'type', getValue: () => 'a' }
  expect(() => begun().withRequest('GET', '/').withBody({ name: like })).toThrow(
    'withBody: at $.name: matchers of MatchersV2 in pact-js are not supported. Use the matchers of this package instead, such as match.like(…)',
  )
})

test('a GraphQL variable that the query does not declare is a warning', () => {
  const query = 'query HelloQuery { hello }'
  const found = warnings(() =>
    begun()
      .withRequest('POST', '/graphql')
      .withGraphQL({ query, variables: { foo: 'bar' } }),
  )
  expect(found).toEqual(['"a request": the query does not declare the variable $foo; it declares no variables'])
})

test('an object that may be null is a warning, a scalar is not', () => {
  const body = { order: match.nullable({ id: 1 }), name: match.nullable('Alice') }
  const found = warnings(() => begun().withRequest('GET', '/').willRespondWith(200).withBody(body))
  expect(found).toHaveLength(1)
  expect(found[0]).toContain('report null at $.order as a mismatch')
})

test('text that is not XML is rejected as an XML body', () => {
  const request = () => begun().withRequest('POST', '/')
  expect(() => request().withBody('<a>', 'application/xml')).toThrow('withBody: the text is not valid application/xml:')
  expect(() => request().withBody('<a/>', 'application/xml')).not.toThrow()
})

test('errors of match.timestamp have its name', () => {
  expect(() => match.timestamp('yesterday')).toThrow('match.timestamp: "yesterday" matches none of the default formats')
})

test('an error of executeTest contains the line of the call', async () => {
  const one = begun().withRequest('GET', '/1').willRespondWith(204)
  const forgotten = one.executeTest(({ url }) => {
    // Sent immediately, the request could arrive before the server stops.
    setTimeout(() => void fetch(`${url}/1`).catch(() => {}), 100)
  })
  await expect(forgotten).rejects.toThrow(/The function passed to executeTest at .*porting\.test\.ts:\d+:\d+/)
})

test('headers whose names differ only in case are kept separate', async () => {
  const contract = new Contract('web', 'orders')
  contract.uponReceiving('a request').withRequest('GET', '/').withHeader('X-A', 'a').withHeader('x-a', 'a')

  const { interactions } = JSON.parse(readFileSync(await contract.writeFile(temporaryDirectory()), 'utf8'))
  expect(interactions[0].request.headers).toEqual({ 'X-A': ['a', 'a'] })
})
