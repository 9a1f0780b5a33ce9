// Provider states: handlers, their return values, and their failures.
import { describe, expect, test } from '@jest/globals'
import { type StateHandlerOptions, type VerificationReport, Verifier, type VerifierOptions } from 'contract'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'

const ok = answering(200, {})
const interactions = (report: VerificationReport) => report.contracts.flatMap(({ interactions }) => interactions)

/** Verifies these interactions against a provider that answers every request with 200. */
function verify(asked: readonly Record<string, unknown>[], options: VerifierOptions): Promise<VerificationReport> {
  return withProvider(ok, (url) =>
    new Verifier('users', { sources: [contractFile(asked)], transports: [url], ...options }).verify(),
  )
}

const order = {
  ...asking('/orders/0'),
  description: 'an order',
  providerStates: [{ name: 'an order exists', params: { amount: 3 } }],
}

describe('handlers', () => {
  test('of several calls are combined', async () => {
    const calls: unknown[] = []

    await withProvider(ok, (url) =>
      new Verifier('users')
        .addSource(contractFile([asking('/1', 200, { states: ['a', 'b'] })]))
        .addTransport(url)
        .stateHandler({ a: (action) => void calls.push(['a', action]) })
        .stateHandler({ b: (action) => void calls.push(['b', action]) }, { teardown: true })
        .verify(),
    )

    expect(calls).toEqual([
      ['a', 'setup'],
      ['b', 'setup'],
      ['b', 'teardown'],
    ])
  })

  test.each<[string, (verifier: Verifier) => void, RegExp]>([
    ['a state twice', (verifier) => verifier.stateHandler({ a: () => {} }), /a handler for "a" is already registered/],
    ['a function besides', (verifier) => verifier.stateHandler(() => {}), /another handler is already registered/],
    [
      'a URL besides',
      (verifier) => verifier.stateHandler('http://a/b', { body: true }),
      /another handler is already registered/,
    ],
    [
      'another onMissing',
      (verifier) => verifier.stateHandler({ b: () => {} }, { onMissing: 'ignore' }),
      /onMissing is ignore in this call, but warn/,
    ],
    ['no function', (verifier) => verifier.stateHandler({ b: 'x' as never }), /must be a function or/],
    [
      'body for functions',
      (verifier) => verifier.stateHandler({ b: () => {} }, { body: true }),
      /body is not supported/,
    ],
  ])('%s: refused at once', (_, add, words) => {
    const verifier = new Verifier('users').stateHandler({ a: () => {} }, { onMissing: 'warn' })

    expect(() => add(verifier)).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringMatching(words) }),
    )
  })

  test.each<[string, unknown, StateHandlerOptions, RegExp]>([
    ['a URL without body', 'http://a/b', {}, /a URL requires body/],
    ['a URL that is none', 'a/b', { body: true }, /not a valid base URL/],
    ['nothing', null, {}, /the handler must be a function/],
    ['onMissing for a function', () => {}, { onMissing: 'warn' }, /onMissing is not supported/],
  ])('%s: refused at once', (_, handler, options, words) => {
    expect(() => new Verifier('users').stateHandler(handler as string, options)).toThrow(words)
  })

  test('continues with a warning if there is no handler', async () => {
    const report = await verify([order], {})

    expect(report.warnings).toEqual([
      'no state handler is registered, so 1 interaction was verified without setting up provider states: "an order exists"',
    ])
  })

  test.each<[StateHandlerOptions['onMissing'], string, readonly unknown[]]>([
    ['warn', 'passed', [expect.stringContaining('"an order exists"')]],
    ['ignore', 'passed', []],
  ])('onMissing: %s', async (onMissing, status, warnings) => {
    const report = await verify([order], {
      stateHandler: { other: () => {} },
      stateHandlerOptions: { onMissing } as StateHandlerOptions,
    })

    expect(interactions(report)[0]?.status).toBe(status)
    expect(report.warnings).toEqual(warnings)
  })

  test('calls the handler for interactions without states with emptyState', async () => {
    const calls: unknown[] = []
    const note = (...call: unknown[]) => void calls.push(call)

    await verify([asking('/1')], { stateHandler: note })
    await verify([asking('/1')], { stateHandler: note, stateHandlerOptions: { emptyState: true } })
    await verify([asking('/1')], { stateHandler: { '': note } })

    expect(calls).toEqual([
      // Without parameters, as specified.
      ['', 'setup', null],
      ['setup', null],
    ])
  })
})

describe('values of handlers', () => {
  // # replaces $, to avoid template strings.
  const fromState = (expression: string) => ({
    type: 'ProviderState',
    expression: expression.replaceAll('#', '$'),
    dataType: 'STRING',
  })

  test('are used in path, query, headers, and body', async () => {
    const seen: unknown[] = []
    const generated = {
      ...order,
      request: {
        method: 'POST',
        path: '/orders/0',
        query: { page: ['0'] },
        headers: { 'X-Order': ['0'], 'Content-Type': ['application/json'] },
        body: { content: { id: '0', amount: '0' }, contentType: 'application/json', encoded: false },
        generators: {
          path: fromState('/orders/#{id}'),
          query: { page: fromState('#{page}') },
          header: { 'X-Order': fromState('#{id}') },
          body: { '$.id': fromState('#{id}'), '$.amount': fromState('#{amount}') },
        },
      },
    }

    await withProvider(
      async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        seen.push(request.url, request.headers['x-order'], JSON.parse(body))
        response.writeHead(200).end()
      },
      (url) =>
        new Verifier('users')
          .addSource(contractFile([generated]))
          .addTransport(url)
          .stateHandler({ 'an order exists': async () => ({ id: 'abc', page: 7 }) })
          .verify(),
    )

    // The amount is a parameter of the state.
    expect(seen).toEqual(['/orders/abc?page=7', 'abc', { id: 'abc', amount: '3' }])
  })

  test('that are not JSON fail the interaction', async () => {
    const error = await failureOf(
      verify([order], { stateHandler: { 'an order exists': () => ({ at: new Date() }) as never } }),
    )

    expect(error.message).toContain(
      'the handler for the state "an order exists" returned invalid values: at $.at: a Date',
    )
  })
})

describe('failures', () => {
  const three = [
    asking('/1', 200, { states: ['good'] }),
    asking('/2', 200, { states: ['good', 'bad', 'never'] }),
    asking('/3', 200, { states: ['good'] }),
  ]

  test('of a handler fail its interaction with the error; states are torn down and the run continues', async () => {
    const own = new Error('the database is gone')
    const calls: string[] = []
    const handler = (name: string, setup?: () => void) => ({
      setup: () => {
        calls.push(`+${name}`)
        setup?.()
      },
      teardown: () => void calls.push(`-${name}`),
    })

    const error = await failureOf(
      verify(three, {
        stateHandler: {
          good: handler('good'),
          bad: handler('bad', () => {
            throw own
          }),
          never: handler('never'),
        },
      }),
    )

    expect(calls).toEqual(['+good', '-good', '+good', '+bad', '-bad', '-good', '+good', '-good'])
    expect(error.cause).toBe(own)
    const [first, second, third] = interactions(error.report)
    expect([first?.status, second?.status, third?.status]).toEqual(['passed', 'failed', 'passed'])
    expect(second?.error).toMatchObject({ code: 'ERR_CONTRACT_STATE_HANDLER', cause: own })
    expect(JSON.stringify(error.report)).not.toContain('token')
  })

  test('of a teardown fail its interaction', async () => {
    const own = new Error('cannot clean up')

    const error = await failureOf(
      verify(three.slice(0, 1), { stateHandler: { good: { teardown: () => Promise.reject(own) } } }),
    )

    expect(interactions(error.report)[0]?.teardownError).toMatchObject({
      code: 'ERR_CONTRACT_STATE_HANDLER',
      cause: own,
    })
    expect(error.cause).toBe(own)
  })

  test.each<[string, unknown]>([
    ['a text', 'no luck'],
    ['nothing', undefined],
    ['something that has no text', Object.create(null)],
  ])('%s thrown', async (_, thrown) => {
    const error = await failureOf(
      verify(three.slice(0, 1), {
        stateHandler: {
          good: () => {
            throw thrown
          },
        },
      }),
    )

    expect(interactions(error.report)[0]?.error).toMatchObject({ code: 'ERR_CONTRACT_STATE_HANDLER' })
    expect(error.cause).toBe(thrown)
  })

  test('times out if a handler does not settle', async () => {
    const error = await failureOf(
      verify(three, {
        stateHandler: { good: () => {}, bad: () => new Promise(() => {}), never: () => {} },
        callbackTimeout: 50,
      }),
    )

    const [first, second, third] = interactions(error.report)
    expect([first?.status, second?.status, third?.status]).toEqual(['passed', 'failed', 'passed'])
    expect(second?.error).toMatchObject({
      code: 'ERR_CONTRACT_STATE_TIMEOUT',
      message: expect.stringContaining('"bad" did not finish within'),
    })
  })
})

describe('a URL', () => {
  /** Verifies with a state URL that sends these responses in turn. Returns the requests it received. */
  async function withStateUrl(options: StateHandlerOptions, ...statuses: number[]) {
    const calls: { url: string | undefined; body: string; headers: unknown }[] = []
    const report = await withProvider(
      async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        calls.push({ url: request.url, body, headers: request.headers })
        response.writeHead(statuses.shift() ?? 200, { 'Content-Type': 'application/json' }).end('{"id": "abc"}')
      },
      (states) =>
        withProvider(ok, (url) =>
          new Verifier('users')
            .addSource(contractFile([order]))
            .addTransport(url)
            .stateHandler(`${states}/states`, options)
            .verify(),
        ),
    )
    return { report, calls }
  }

  test('receives the state in the body', async () => {
    const { calls } = await withStateUrl({ body: true, teardown: true, headers: { 'X-Key': 'k' } })

    expect(calls.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/states', { state: 'an order exists', params: { amount: 3 }, action: 'setup' }],
      ['/states', { state: 'an order exists', params: { amount: 3 }, action: 'teardown' }],
    ])
    expect(calls[0]?.headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' })
  })

  test('receives the state in the query', async () => {
    const { calls } = await withStateUrl({ body: false })

    expect(calls.map(({ url, body }) => [url, body])).toEqual([
      ['/states?state=an+order+exists&action=setup&amount=3', ''],
    ])
  })

  test('is retried after 5xx', async () => {
    const { report, calls } = await withStateUrl({ body: true }, 503, 500)

    expect(report.success).toBe(true)
    expect(calls).toHaveLength(3)
  })

  test('that returns an error fails the interaction', async () => {
    const error = await failureOf(withStateUrl({ body: true }, 400).then(({ report }) => report))

    expect(error.message).toContain('returned status 400')
  })
})
