// Misbehaving providers: their interaction fails with a clear error, and the run continues.
import type { RequestListener, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { type VerificationReport, Verifier, type VerifierOptions } from 'contract'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'

const ok = answering(200, {})

/** Verifies three interactions, of which the second receives the bad response, and returns its report. */
async function verifyBetween(bad: RequestListener, options: VerifierOptions = {}) {
  const torn: string[] = []
  const requests = ['/good', '/bad', '/good/too'].map((path) => asking(path, 200, { states: ['a state'] }))
  const listener: RequestListener = (request, response) =>
    (request.url?.startsWith('/bad') ? bad : ok)(request, response)
  const error = await withProvider(listener, (url) =>
    failureOf(
      new Verifier('users', {
        sources: [contractFile(requests)],
        transports: [url],
        stateHandler: (state, action) => void (action === 'teardown' && torn.push(state)),
        stateHandlerOptions: { teardown: true },
        ...options,
      }).verify(),
    ),
  )
  const [first, second, third] = error.report.contracts[0]?.interactions ?? []
  expect([first?.status, second?.status, third?.status]).toEqual(['passed', 'failed', 'passed'])
  expect(torn).toEqual(['a state', 'a state', 'a state'])
  return second
}

describe('a provider that', () => {
  const endless = (response: ServerResponse) => {
    const piece = Buffer.alloc(16_384, 32)
    const write = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', write)
    response.on('error', () => {})
    write()
  }

  test.each<[string, RequestListener, VerifierOptions, string, RegExp]>([
    [
      'hangs',
      () => {},
      { requestTimeout: 100 },
      'ERR_CONTRACT_REQUEST_TIMEOUT',
      /no complete response from .* within .*\. If the provider needs longer/,
    ],
    [
      'hangs in the middle of a body',
      (_, response) => void response.writeHead(200, { 'Content-Length': 10 }).write('a'),
      { requestTimeout: 100 },
      'ERR_CONTRACT_REQUEST_TIMEOUT',
      /no complete response/,
    ],
    [
      'resets the connection',
      (request) => void request.socket.resetAndDestroy(),
      {},
      'ERR_CONTRACT_REQUEST_CLOSED',
      /reset|closed/,
    ],
    ['closes the connection', (request) => void request.socket.destroy(), {}, 'ERR_CONTRACT_REQUEST_CLOSED', /closed/],
    [
      'breaks off its body',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': 10 }).write('half')
        setImmediate(() => response.socket?.destroy())
      },
      {},
      'ERR_CONTRACT_REQUEST_CLOSED',
      /./,
    ],
    [
      'answers with garbage',
      (request) => void request.socket.end('\u0000\u0001\u0002 this is no HTTP\r\n\r\n'),
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /HTTP/,
    ],
    [
      'answers without end',
      (_, response) => endless(response.writeHead(200)),
      { bodyLimit: 100_000 },
      'ERR_CONTRACT_RESPONSE_TOO_LARGE',
      /larger than 100000 bytes/,
    ],
    [
      'sends headers without end',
      (request) => {
        request.socket.on('error', () => {})
        request.socket.write('HTTP/1.1 200 OK\r\n')
        const line = `X: ${'y'.repeat(8000)}\r\n`
        const write = () => {
          while (!request.socket.destroyed && request.socket.write(line));
        }
        request.socket.on('drain', write)
        write()
      },
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /./,
    ],
    [
      'redirects in a circle',
      (_, response) => void response.writeHead(302, { Location: '/bad/again' }).end(),
      {},
      'ERR_CONTRACT_REQUEST_REDIRECT',
      /more than 10 redirects/,
    ],
    [
      'redirects to nowhere',
      (_, response) => void response.writeHead(302, { Location: 'mailto:me' }).end(),
      {},
      'ERR_CONTRACT_REQUEST_REDIRECT',
      /not a valid http or https URL/,
    ],
    [
      'lies about gzip',
      (_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('plain'),
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /has Content-Encoding "gzip", but its body cannot be decompressed/,
    ],
    [
      'lies about br',
      (_, response) => void response.writeHead(200, { 'Content-Encoding': 'br' }).end('plain'),
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /has Content-Encoding "br"/,
    ],
    [
      'breaks off its gzip',
      (_, response) =>
        void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)).subarray(0, 15)),
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /gzip/,
    ],
    [
      'compresses in a way of its own',
      (_, response) => void response.writeHead(200, { 'Content-Encoding': 'mine' }).end('plain'),
      {},
      'ERR_CONTRACT_RESPONSE_INVALID',
      /Content-Encoding "mine", but only gzip, deflate, and br are supported/,
    ],
    [
      'sends a bomb',
      (_, response) =>
        void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
      { bodyLimit: 1_000_000 },
      'ERR_CONTRACT_RESPONSE_TOO_LARGE',
      /larger than 1000000 bytes after decompression/,
    ],
  ])('%s', async (_, bad, options, code, words) => {
    const interaction = await verifyBetween(bad, options)

    expect(interaction?.error?.code).toBe(code)
    expect(interaction?.error?.message).toMatch(words)
  })

  test('is down', async () => {
    const url = await withProvider(ok, async (url) => url)

    const error = await failureOf(
      new Verifier('users', { sources: [contractFile([asking('/a'), asking('/b')])], transports: [url] }).verify(),
    )

    const codes = (report: VerificationReport) => report.contracts[0]?.interactions.map(({ error }) => error?.code)
    expect(codes(error.report)).toEqual(['ERR_CONTRACT_REQUEST_CONNECT', 'ERR_CONTRACT_REQUEST_CONNECT'])
  })

  test.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('compresses with %s', async (coding, compress) => {
    const body = { name: 'Ann' }
    const interaction = {
      ...asking('/a'),
      response: { status: 200, body: { content: body, contentType: 'application/json', encoded: false } },
    }
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding }

    const report = await withProvider(
      (_, response) => void response.writeHead(200, headers).end(compress(Buffer.from(JSON.stringify(body)))),
      (url) => new Verifier('users', { sources: [contractFile([interaction])], transports: [url] }).verify(),
    )

    expect(report.success).toBe(true)
  })
})

describe('a contract', () => {
  test('with a rule that cannot be used fails that interaction', async () => {
    const broken = asking('/b', 200, {
      response: {
        status: 200,
        matchingRules: { header: { 'X-A': { combine: 'AND', matchers: [{ match: 'regex', regex: '(' }] } } },
        headers: { 'X-A': ['a'] },
      },
    })

    const error = await failureOf(
      withProvider(ok, (url) =>
        new Verifier('users', {
          sources: [contractFile([asking('/a'), broken, asking('/c')])],
          transports: [url],
        }).verify(),
      ),
    )

    expect(error.report.contracts[0]?.interactions.map(({ status }) => status)).toEqual(['passed', 'failed', 'passed'])
  })

  test('with an interaction of an unknown kind fails that interaction', async () => {
    const error = await failureOf(
      withProvider(ok, (url) =>
        new Verifier('users', {
          sources: [contractFile([asking('/a'), { type: 'Synchronous/Telepathy', description: 'a thought' }])],
          transports: [url],
        }).verify(),
      ),
    )

    expect(error.report.contracts[0]?.interactions[1]?.error).toMatchObject({ code: 'ERR_CONTRACT_INTERACTION_KIND' })
  })
})

describe('options of the constructor', () => {
  test.each<[object, RegExp]>([
    [{ providerBaseUrl: 'http://a' }, /unknown option "providerBaseUrl"\. Use transports\. \[/],
    [{ pactUrls: [] }, /Use sources\./],
    [{ format: 'json' }, /verify\(\) returns the report/],
    [{ verbose: true }, /contract_ffi\.logToStderr/],
    [{ coloredOutput: true }, /Did you mean colouredOutput\?/],
    [{ nonsense: 1 }, /Options: sources, transports, /],
    [{ requestTimeout: 0 }, /setRequestTimeout: milliseconds .*\b86400000\b.*, received 0/],
    [{ callbackTimeout: Number.NaN }, /setCallbackTimeout: .*, received NaN/],
    [{ bodyLimit: -1 }, /setBodyLimit: .*, received -1/],
    [{ generatedSize: 0.5 }, /setGeneratedSize: .*, received 0\.5/],
    [{ followRedirects: { credential: true } }, /followRedirects: .*credential/],
    [{ httpVersion: '3' }, /HTTP version "3" is not supported; use 1\.1 or 2/],
    [{ filter: { description: '(' } }, /not a valid regular expression/],
    [{ stateHandlerOptions: { teardown: true } }, /stateHandlerOptions requires stateHandler/],
    [{ sources: [''] }, /the path is empty/],
    [{ sources: [undefined] }, /addSource: source is missing/],
    [{ sources: [7] }, /the source must be a path, a URL, or an object with a json or url member; received 7/],
    [{ sources: [{}] }, /a source object requires url or json/],
    [
      { stateHandler: () => {}, stateHandlerOptions: { tearDown: true } },
      /unknown option "tearDown"\. Did you mean "teardown"\?/,
    ],
    [{ messageHandlerOptions: { timeout: 5 } }, /messageHandlerOptions requires messageHandler/],
    [{ transports: [null] }, /the transport must be a base URL/],
  ])('%j is refused at once', (options, words) => {
    expect(() => new Verifier('users', options)).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringMatching(words) }),
    )
  })

  test.each(['http://127.0.0.1:1', 7, () => {}])('%p is rejected', (options) => {
    expect(() => new Verifier('users', options as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_CONTRACT_OPTIONS',
        message: expect.stringMatching(/options must be an obj/),
      }),
    )
  })

  test('undefined options are ignored', () => {
    expect(() => new Verifier('users', { filter: undefined } as never)).not.toThrow()
  })
})
