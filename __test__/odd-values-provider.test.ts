// Calls each public function of verifications with invalid values. The call rejects them with a code and a message, or
// accepts them; it never throws a raw error of the binding or the runtime, and the next call works.
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { contract_ffi, formatReport, messageEndpoint, startMessageEndpoint, Verifier, writeReport } from 'contract'
import { asking, contractFile } from './support/contracts.ts'
import { complaint, oddValues } from './support/odd-values.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const verifier = () => new Verifier('users')
const at = () => join(temporaryDirectory(), 'report')
// biome-ignore lint/suspicious/noExplicitAny: the test passes invalid values
type Odd = any

const report = withProvider(answering(200, {}), (url) =>
  verifier()
    .addSource(contractFile([asking('/1')]))
    .addTransport(url)
    .verify(),
)

const calls: readonly (readonly [string, (odd: Odd) => unknown])[] = [
  ['new Verifier(…)', (odd) => new Verifier(odd)],
  ['new Verifier(name, …)', (odd) => new Verifier('users', odd)],
  ...(
    [
      'sources',
      'transports',
      'stateHandler',
      'stateHandlerOptions',
      'messageHandler',
      'messageHandlerOptions',
      'filter',
      'filterConsumers',
      'customHeaders',
      'requestFilter',
      'beforeEach',
      'afterEach',
      'requestTimeout',
      'callbackTimeout',
      'bodyLimit',
      'sourceLimit',
      'totalSourceLimit',
      'patternSize',
      'directoryLimit',
      'generatedSize',
      'tls',
      'disableSslVerification',
      'httpVersion',
      'followRedirects',
      'errorOnEmptyContract',
      'colouredOutput',
    ] as const
  ).map(
    (name) => [`new Verifier(name, { ${name}: … })`, (odd: Odd) => new Verifier('users', { [name]: odd })] as const,
  ),
  ['addSource(…)', (odd) => verifier().addSource(odd)],
  ['addSource({ url: … })', (odd) => verifier().addSource({ url: odd })],
  ['addSource({ json: … })', (odd) => verifier().addSource({ json: odd })],
  ['addSource(url, …)', (odd) => verifier().addSource('http://127.0.0.1:1', odd)],
  ['addSource(url, { token: … })', (odd) => verifier().addSource('http://127.0.0.1:1', { token: odd })],
  ['addSource(url, { headers: … })', (odd) => verifier().addSource('http://127.0.0.1:1', { headers: odd })],
  ['addTransport(…)', (odd) => verifier().addTransport(odd)],
  ['addTransport({ url: … })', (odd) => verifier().addTransport({ url: odd })],
  ['addTransport({ port: … })', (odd) => verifier().addTransport({ port: odd })],
  ['addTransport({ host: … })', (odd) => verifier().addTransport({ host: odd })],
  ['addTransport({ protocol: … })', (odd) => verifier().addTransport({ protocol: odd, url: 'http://127.0.0.1:1' })],
  ['addTransport({ path: … })', (odd) => verifier().addTransport({ path: odd })],
  ['addTransport({ app: … })', (odd) => verifier().addTransport({ app: odd })],
  ['addTransport({ app, path: … })', (odd) => verifier().addTransport({ app: () => {}, path: odd })],
  ['messageHandler(…)', (odd) => verifier().messageHandler(odd)],
  ['messageHandler({ name: … })', (odd) => verifier().messageHandler({ 'an event': odd })],
  ['messageHandler(handlers, …)', (odd) => verifier().messageHandler({}, odd)],
  ['messageHandler(handlers, { timeout: … })', (odd) => verifier().messageHandler({}, { timeout: odd })],
  ['stateHandler(…)', (odd) => verifier().stateHandler(odd)],
  ['stateHandler({ name: … })', (odd) => verifier().stateHandler({ 'a state': odd })],
  ['stateHandler({ name: { setup: … } })', (odd) => verifier().stateHandler({ 'a state': { setup: odd } })],
  ['stateHandler(handler, …)', (odd) => verifier().stateHandler({}, odd)],
  ['stateHandler(handler, { onMissing: … })', (odd) => verifier().stateHandler({}, { onMissing: odd })],
  ['stateHandler(url, { body: … })', (odd) => verifier().stateHandler('http://127.0.0.1:1', { body: odd })],
  [
    'stateHandler(url, { headers: … })',
    (odd) => verifier().stateHandler('http://127.0.0.1:1', { body: true, headers: odd }),
  ],
  ['filter(…)', (odd) => verifier().filter(odd)],
  ['filter({ description: … })', (odd) => verifier().filter({ description: odd })],
  ['filter({ state: … })', (odd) => verifier().filter({ state: odd })],
  ['filter({ kind: … })', (odd) => verifier().filter({ kind: odd })],
  ['filterConsumers(…)', (odd) => verifier().filterConsumers(odd)],
  ['addCustomHeader(…, value)', (odd) => verifier().addCustomHeader(odd, 'a')],
  ['addCustomHeader(name, …)', (odd) => verifier().addCustomHeader('X-A', odd)],
  ['addCustomHeaders(…)', (odd) => verifier().addCustomHeaders(odd)],
  ['addCustomHeaders([[…]])', (odd) => verifier().addCustomHeaders([odd])],
  ['requestFilter(…)', (odd) => verifier().requestFilter(odd)],
  ['beforeEach(…)', (odd) => verifier().beforeEach(odd)],
  ['afterEach(…)', (odd) => verifier().afterEach(odd)],
  ['setRequestTimeout(…)', (odd) => verifier().setRequestTimeout(odd)],
  ['setCallbackTimeout(…)', (odd) => verifier().setCallbackTimeout(odd)],
  ['setBodyLimit(…)', (odd) => verifier().setBodyLimit(odd)],
  ['setSourceLimit(…)', (odd) => verifier().setSourceLimit(odd)],
  ['setTotalSourceLimit(…)', (odd) => verifier().setTotalSourceLimit(odd)],
  ['tls(…)', (odd) => verifier().tls(odd)],
  ['tls({ ca: … })', (odd) => verifier().tls({ ca: odd })],
  ['tls({ cert: … })', (odd) => verifier().tls({ cert: odd })],
  ['tls({ key: …, passphrase })', (odd) => verifier().tls({ key: odd, passphrase: 'a' })],
  ['tls({ key, passphrase: … })', (odd) => verifier().tls({ key: 'a', passphrase: odd })],
  ['disableSslVerification(…)', (odd) => verifier().disableSslVerification(odd)],
  ['setHttpVersion(…)', (odd) => verifier().setHttpVersion(odd)],
  ['setErrorOnEmptyContract(…)', (odd) => verifier().setErrorOnEmptyContract(odd)],
  ['setErrorOnEmptyPact(…)', (odd) => verifier().setErrorOnEmptyPact(odd)],
  ['followRedirects(…)', (odd) => verifier().followRedirects(odd)],
  ['followRedirects(true, …)', (odd) => verifier().followRedirects(true, odd)],
  ['followRedirects(true, { credentials: … })', (odd) => verifier().followRedirects(true, { credentials: odd })],
  ['setGeneratedSize(…)', (odd) => verifier().setGeneratedSize(odd)],
  ['setColouredOutput(…)', (odd) => verifier().setColouredOutput(odd)],
  ['setColoredOutput(…)', (odd) => verifier().setColoredOutput(odd)],
  ['verify(…)', (odd) => verifier().verify(odd)],
  ['verify({ concurrency: … })', (odd) => verifier().verify({ concurrency: odd })],
  ['suite(…)', (odd) => verifier().suite(odd)],
  ['output(…)', (odd) => verifier().output(odd)],
  ['writeReport(…, path), before a run', (odd) => verifier().writeReport(odd, at())],
  ['formatReport(…, format)', (odd) => formatReport(odd, 'junit')],
  ['formatReport(report, …)', async (odd) => formatReport(await report, odd)],
  ['writeReport(…, format, path)', (odd) => writeReport(odd, 'html', at())],
  ['writeReport(report, …, path)', async (odd) => writeReport(await report, odd, at())],
  ['messageEndpoint(…)', (odd) => messageEndpoint(odd)],
  ['messageEndpoint(handlers, …)', (odd) => messageEndpoint({}, odd)],
  ['startMessageEndpoint(…)', async (odd) => (await startMessageEndpoint(odd)).close()],
  ['startMessageEndpoint(handlers, …)', async (odd) => (await startMessageEndpoint({}, odd)).close()],
  [
    'startMessageEndpoint(handlers, { port: … })',
    async (odd) => (await startMessageEndpoint({}, { port: odd === 0 ? 0 : odd })).close(),
  ],
  [
    'startMessageEndpoint(handlers, { timeout: … })',
    async (odd) => (await startMessageEndpoint({}, { timeout: odd })).close(),
  ],
  ['contract_ffi.logToStderr(…)', (odd) => contract_ffi.logToStderr(odd)],
  ['contract_ffi.logToFile(…)', (odd) => contract_ffi.logToFile(odd, 'OFF')],
  ['contract_ffi.logToFile(path, …)', (odd) => contract_ffi.logToFile(at(), odd)],
  ['contract_ffi.setLogger(…)', (odd) => contract_ffi.setLogger(odd)],
  ['contract_ffi.setLogger(logger, …)', (odd) => contract_ffi.setLogger(() => {}, odd)],
]

describe.each(calls)('%s', (_, call) => {
  test('accepts the value or rejects it with a message', async () => {
    const raw: string[] = []
    for (const [name, odd] of oddValues) {
      const problem = await complaint(() => call(odd))
      if (problem !== undefined) raw.push(`${name}: ${problem}`)
    }
    contract_ffi.setLogger(null)
    contract_ffi.logToStderr('OFF')
    expect(raw).toEqual([])
  })
})

test('a verification still works afterwards', async () => {
  expect((await report).success).toBe(true)
})
