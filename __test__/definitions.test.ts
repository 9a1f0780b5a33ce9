// Rejected calls have no effect on later tests, servers, and files.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Contract, ContractArgumentError, match, serveAll } from 'contract'
import { complaint, oddValues } from './support/odd-values.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'

const get = async (url: string) => void (await fetch(url))
const define = (contract: Contract, description: string, path = '/a') =>
  contract.uponReceiving(description).withRequest('GET', path).willRespondWith(200)

function refused(call: () => unknown): ContractArgumentError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ContractArgumentError)
    return error as ContractArgumentError
  }
  throw new Error('the call was not refused')
}

describe('one mistake does not fail the next test', () => {
  const mistakes: Readonly<Record<string, (contract: Contract) => unknown>> = {
    'a definition that breaks off': (contract) => refused(() => define(contract, 'x').withHeader('a b', 'c')),
    'a definition without request': (contract) => contract.uponReceiving('x'),
    'an unknown option of serve': (contract) => {
      define(contract, 'x')
      return thrown(contract.serve({ prot: 1 } as never, () => {}))
    },
    'a promise in place of the function': (contract) => {
      define(contract, 'x')
      return thrown(contract.serve(Promise.resolve() as never))
    },
    'the same interaction with other content': (contract) => {
      define(contract, 'x')
      define(contract, 'x', '/b')
      return thrown(contract.serve(() => {}))
    },
    'an address that is none': (contract) => {
      define(contract, 'x')
      return thrown(contract.serve({ host: 'a b' }, () => {}))
    },
  }

  test.each(Object.entries(mistakes))('%s', async (_, mistake) => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    await mistake(contract)

    define(contract, 'y', '/y')
    await contract.serve(({ url }) => get(`${url}/y`))
    const path = await contract.writeFile()

    expect(readdirSync(directory)).toEqual(['web-users.json'])
    const { interactions } = JSON.parse(readFileSync(path, 'utf8'))
    expect(interactions.map(({ description }: { description: string }) => description)).toEqual(['y'])
  })

  test('a call after a rejected one continues the definition', async () => {
    const contract = new Contract('web', 'users')
    const interaction = define(contract, 'x')
    refused(() => interaction.withHeader('a b', 'c'))
    interaction.withHeader('X-A', 'b')

    const answer = await contract.serve(async ({ url }) => (await fetch(`${url}/a`)).headers.get('x-a'))

    expect(answer).toBe('b')
  })

  test('reports all problems at once, with their places', async () => {
    const contract = new Contract('web', 'users')
    for (const name of ['one', 'two']) define(contract, name).setKey(name)

    const error = refused(() => contract.withSpecification('V2'))

    expect(error.message).toMatch(
      /1\) "one" \(defined at .*definitions\.test\.ts:\d+:\d+\): .*\n {2}2\) "two" \(defined at /,
    )
    expect(error).toMatchObject({
      operation: 'withSpecification',
      origin: expect.stringContaining('definitions.test.ts'),
    })
    expect(contract.specification).toBe('V4')
  })
})

describe('nothing to serve', () => {
  test('is rejected', async () => {
    expect(await thrown(new Contract('web', 'users').serve(() => {}))).toMatchObject({ code: 'ERR_CONTRACT_NOTHING' })
    expect(await thrown(serveAll([new Contract('web', 'users')], () => {}))).toMatchObject({
      code: 'ERR_CONTRACT_NOTHING',
    })
  })

  test('reports that the interactions were retired', async () => {
    const contract = new Contract('web', 'users')
    define(contract, 'x')
    await contract.serve(({ url }) => get(`${url}/a`))

    const error = (await thrown(contract.serve(() => {}))) as Error

    expect(error.message).toMatch(
      /the only interaction was already served\. Pass \{ all: true \} or \{ only: \[…\] \} to serve it again \[ERR_CONTRACT_\w+\]$/,
    )
    await contract.serve({ all: true }, ({ url }) => get(`${url}/a`))
  })

  test('reports that an earlier server expected the request', async () => {
    const contract = new Contract('web', 'users')
    define(contract, 'x')
    await contract.serve(({ url }) => get(`${url}/a`))
    define(contract, 'y', '/y')

    const error = (await thrown(
      contract.serve(async ({ url }) => {
        await get(`${url}/y`)
        await get(`${url}/a`)
      }),
    )) as Error

    expect(error.message).toMatch(/GET \/a matches "x" \(defined at .*\), .*retired/)
  })
})

describe('options of a contract', () => {
  test.each([
    [{ dir: '/tmp' }, /unknown option "dir"\. In this library, the option is "directory"\./],
    [{ writeMode: 'append' }, /writeMode must be merge or overwrite, received "append"/],
    [{ seed: 1.5 }, /seed .*\b9007199254740992\b.*, received 1\.5/],
    ['V4', /options .*, received a string/],
  ])('%j', (options, words) => {
    expect(refused(() => new Contract('web', 'users', options as never)).message).toMatch(words)
  })
})

test('a missing await is reported', async () => {
  const contract = new Contract('web', 'users')
  define(contract, 'x')

  const error = (await thrown(contract.serve(() => {}))) as Error

  expect(error.message).toMatch(/The function passed to serve at .* did not return a promise, .* Is an await missing\?/)
})

test('the timeout ends before that of the runner', () => {
  // A separate process that simulates a Vitest test with a timeout of one second.
  const script = `
    globalThis.__vitest_worker__ = { current: { timeout: 1000 } }
    const { Contract } = require(${JSON.stringify(require.resolve('contract'))})
    const contract = new Contract('web', 'users')
    contract.uponReceiving('x').withRequest('GET', '/x').willRespondWith(200)
    contract.serve(() => new Promise(() => {})).catch(({ message, timeout }) => console.log(JSON.stringify({ message, timeout })))`

  const { message, timeout } = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }))

  expect(message).toContain('did not finish within 0.9 s. No request was received')
  expect(timeout).toBe(900)
})

test('thousands of headers and parameters are each checked once', () => {
  const interaction = define(new Contract('web', 'users'), 'x')
  const message = new Contract('web', 'users').uponReceiving('x', 'Async')
  for (let number = 0; number < 5_000; number += 1) {
    interaction
      .withHeader(`X-${number}`, match.regex('1', /\d/), 'request')
      .withQueryParameter(`q${number}`, match.int(1))
    message.withMetadata({ [`m${number}`]: match.int(1) })
  }
  interaction.withHeader('X-Last', 'a')
})

describe('odd values', () => {
  const interaction = () => new Contract('web', 'users').uponReceiving('x')
  const calls: Readonly<Record<string, (value: never) => unknown>> = {
    'new Contract': (value) => [new Contract(value, 'b'), new Contract('a', value)],
    'options of a contract': (value) => new Contract('a', 'b', value),
    directory: (value) => new Contract('a', 'b', { directory: value }),
    uponReceiving: (value) => new Contract('a', 'b').uponReceiving(value),
    kind: (value) => new Contract('a', 'b').uponReceiving('x', value),
    interaction: (value) => new Contract('a', 'b').interaction(value),
    'parts of an interaction': (value) =>
      new Contract('a', 'b').interaction({ description: 'x', request: value, response: value, states: value }),
    defaults: (value) => new Contract('a', 'b').defaults(value),
    'contract.withMetadata': (value) => new Contract('a', 'b').withMetadata(value, value),
    withSpecification: (value) => new Contract('a', 'b').withSpecification(value),
    interactions: (value) => new Contract('a', 'b').interactions(value),
    serve: (value) => new Contract('a', 'b').serve(value, value),
    serveAll: (value) => serveAll(value, value),
    verify: (value) => new Contract('a', 'b').verify(value, value, value),
    given: (value) => [interaction().given(value), interaction().given('x', value)],
    withRequest: (value) => interaction().withRequest(value, value),
    willRespondWith: (value) => interaction().willRespondWith(value),
    withHeader: (value) => interaction().withHeader(value, value, value),
    withHeaders: (value) => interaction().withHeaders(value),
    'a header value': (value) => interaction().withHeader('X-A', value),
    setHeader: (value) => interaction().setHeader('X-A', value),
    setHeaders: (value) => interaction().setHeaders(value),
    withQueryParameter: (value) => interaction().withQueryParameter(value, value),
    withQueryParameters: (value) => interaction().withQueryParameters(value),
    withCookie: (value) => interaction().withCookie(value, value),
    withBearerToken: (value) => interaction().withBearerToken(value),
    withBody: (value) => interaction().withBody(value, value, value),
    withJsonBody: (value) => interaction().withJsonBody(value),
    withTextBody: (value) => interaction().withTextBody(value),
    withXmlBody: (value) => interaction().withXmlBody(value),
    withFormBody: (value) => interaction().withFormBody(value),
    withGraphQL: (value) => interaction().withGraphQL(value),
    withBinaryBody: (value) => interaction().withBinaryBody(value),
    withMultipart: (value) => [interaction().withMultipart(value), interaction().withMultipart([value])],
    withMatchingRules: (value) => interaction().withMatchingRules(value),
    withGenerators: (value) => interaction().withGenerators(value),
    setComment: (value) => interaction().setComment(value, value),
    addReference: (value) => interaction().addReference(value, value, value),
    setKey: (value) => interaction().setKey(value),
    setPending: (value) => interaction().setPending(value),
    testName: (value) => interaction().testName(value),
    times: (value) => interaction().times(value),
    optional: (value) => interaction().optional(value),
    executeTest: (value) => interaction().executeTest(value, value),
    withMetadata: (value) => new Contract('a', 'b').uponReceiving('x', 'Async').withMetadata(value),
  }

  test.each(Object.entries(calls))('%s', async (_, call) => {
    const found: string[] = []
    for (const [what, value] of oddValues) {
      const problem = await complaint(() => call(value as never))
      if (problem !== undefined) found.push(`${what}: ${problem}`)
    }
    expect(found).toEqual([])
  })
})

test('reports at the end of the process a server that was never stopped', async () => {
  const { spawnSync } = await import('node:child_process')
  const script = `
    const { Contract } = require(${JSON.stringify(join(__dirname, '../dist/index.cjs'))})
    const contract = new Contract('web', 'users')
    contract.uponReceiving('x').withRequest('GET', '/a').willRespondWith(200)
    contract.serve().then(() => {})`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  expect(stderr).toContain('the mock server of web → users')
  expect(stderr).toContain('was never stopped')
  expect(status).toBe(0)
})

test.each(['V2', 'V3'])('bytes with their own type can be written in %s, in either part', (version) => {
  const contract = new Contract('web', 'orders').withSpecification(version)
  const options = { contentType: 'application/pdf' }
  contract
    .uponReceiving('a page')
    .withRequest('PUT', '/page')
    .withBinaryBody(Buffer.from('%PDF-1.4 \u0000'), options)
    .willRespondWith(200)
    .withBinaryBody(Buffer.from('%PDF-1.4 \u0000'), options)
})

describe('a definition with an invalid argument', () => {
  const mistakes: readonly (readonly [string, () => unknown])[] = [
    ['a refused matcher', () => ({ id: match.int(5, { min: 6 }) })],
    ['a refused matcher inside another', () => match.eachLike({ name: match.regex('x', /y/) })],
    ['a RegExp that the core does not know', () => match.regex('x', /x/y)],
    ['a value that JSON does not have', () => ({ at: new Date() })],
  ]

  test.each(mistakes)('%s: it is neither served nor written', async (_, body) => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'orders', { directory })
    const half = () =>
      contract
        .uponReceiving('half')
        .withRequest('GET', '/half')
        .willRespondWith(200)
        .withBody(body() as string)
    expect(half).toThrow(ContractArgumentError)

    contract.uponReceiving('whole').withRequest('GET', '/whole').willRespondWith(200)
    await contract.serve(({ url }) => fetch(`${url}/whole`))
    await contract.writeFile(directory)
    const { interactions } = JSON.parse(readFileSync(join(directory, 'web-orders.json'), 'utf8'))
    expect(interactions.map(({ description }: { description: string }) => description)).toEqual(['whole'])
  })

  test('is complete if it continues', async () => {
    const contract = new Contract('web', 'orders')
    const interaction = contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
    expect(() => match.int(5, { min: 6 })).toThrow(ContractArgumentError)
    interaction.withBody({ id: match.int(7) })
    expect(await contract.serve(async ({ url }) => (await fetch(url)).json())).toEqual({ id: 7 })
  })

  test('an error in another expression does not affect a complete interaction', async () => {
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
    expect(() => match.int(5, { min: 6 })).toThrow(ContractArgumentError)
    expect(await contract.serve(async ({ url }) => (await fetch(url)).status)).toBe(200)
  })

  test('serve reports the error', async () => {
    const contract = new Contract('web', 'orders')
    const interaction = contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
    expect(() => interaction.withBody({ id: match.int(5, { min: 6 }) })).toThrow(ContractArgumentError)
    await expect(contract.serve(() => undefined)).rejects.toThrow(/"a request".*less than min/s)
  })

  describe('tests that run concurrently', () => {
    const signal = () => {
      let send = () => {}
      const received = new Promise<void>((resolve) => {
        send = resolve
      })
      return { send, received }
    }
    const defined = signal()
    const failed = signal()

    test.concurrent('a complete interaction', async () => {
      const contract = new Contract('web', 'orders')
      contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
      defined.send()
      await failed.received
      expect(await contract.serve(async ({ url }) => (await fetch(url)).status)).toBe(200)
    })

    test.concurrent('an error in another test', async () => {
      await defined.received
      expect(() => match.int(5, { min: 6 })).toThrow(ContractArgumentError)
      failed.send()
    })
  })
})
