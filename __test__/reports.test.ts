import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  ContractArgumentError,
  ContractFileError,
  formatReport,
  type ReportFormat,
  VerificationError,
  type VerificationReport,
  Verifier,
  writeReport,
} from 'contract'
import { failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const formats: readonly ReportFormat[] = ['json', 'junit', 'markdown', 'html', 'github']

/** A contract whose second interaction fails, with a secret. */
const contract = {
  consumer: { name: 'web' },
  provider: { name: 'users' },
  interactions: [
    { type: 'Synchronous/HTTP', description: 'fine', request: { path: '/' }, response: { status: 200 } },
    {
      type: 'Synchronous/HTTP',
      description: 'a <user> & "more"',
      providerStates: [{ name: 'a user exists', params: { id: 7 } }],
      request: { path: '/users', headers: { Authorization: ['Bearer hush-hush'] } },
      response: {
        status: 201,
        body: { content: { name: 'Alice', token: 'x' }, contentType: 'application/json', encoded: false },
      },
    },
  ],
  metadata: { pactSpecification: { version: '4.0' } },
}

let verifier: Verifier
let report: VerificationReport

beforeAll(async () => {
  await withProvider(answering(200, { name: 'Bob', token: 'hush-hush' }), async (url) => {
    verifier = new Verifier('users').addSource({ json: contract, name: 'web-users.json' }).addTransport(url)
    const error = await verifier.verify().catch((error: unknown) => error)
    report = (error as VerificationError).report
    expect(error).toBeInstanceOf(VerificationError)
  })
})

describe.each(formats)('as %s', (format) => {
  test('contains the failures and no secrets', () => {
    const text = formatReport(report, format)
    expect(text).toContain('users')
    expect(text).toContain('Expected status 201 but was 200')
    expect(text).not.toContain('hush-hush')
  })

  test('is written to a file, and directories are created', async () => {
    const path = join(temporaryDirectory(), 'made', 'for', `report.${format}`)
    await verifier.writeReport(format, path)
    expect(readFileSync(path, 'utf8')).toBe(formatReport(report, format))
    await writeReport(report, format, pathToFileURL(path))
    expect(readFileSync(path, 'utf8')).toBe(formatReport(report, format))
  })
})

test('the JSON is the report with its format version', () => {
  expect(JSON.parse(formatReport(report, 'json'))).toEqual(report)
  expect(report.formatVersion).toBe(1)
})

test('a written report can be formatted later', () => {
  const written = formatReport(report, 'json')
  for (const format of formats) {
    expect(formatReport(written, format)).toBe(formatReport(report, format))
    expect(formatReport(JSON.parse(written), format)).toBe(formatReport(report, format))
  }
})

test('numbers keep their text, including those that JavaScript cannot represent', async () => {
  const interaction = {
    type: 'Synchronous/HTTP',
    description: 'numbers',
    request: { path: '/' },
    response: {
      status: 200,
      body: { content: { a: 1, b: 1, c: 1 }, contentType: 'application/json', encoded: false },
      matchingRules: { body: { '$.*': { combine: 'AND', matchers: [{ match: 'boolean' }] } } },
    },
  }
  const document = { ...contract, interactions: [interaction] }
  const error = await withProvider(
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end('{"a": 1.0, "b": 12345678901234567890123, "c": 1e400}')
    },
    (url) => failureOf(new Verifier('users').addSource({ json: document }).addTransport(url).verify()),
  )

  const actual = ['1.0', '12345678901234567890123', '1e400']
  const text = formatReport(error.report, 'json')
  for (const number of actual) expect(text).toContain(`"actual": ${number},`)
  expect(error.report.contracts[0]?.interactions[0]?.mismatches.map(({ actual }) => actual)).toEqual([
    1,
    Number('12345678901234567890123'),
    Number.POSITIVE_INFINITY,
  ])
  // A copy has lost them but can still be formatted.
  for (const format of formats) expect(formatReport(structuredClone(error.report), format)).toContain('numbers')
  // Reports are immutable.
  expect(() => Object.assign(error.report, { success: true })).toThrow(TypeError)
})

test('JUnit has a test case for each interaction', () => {
  const xml = formatReport(report, 'junit')
  expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="Verification of users" tests="2" /)
  expect(xml).toContain(
    '<testcase classname="web - users" name="a &lt;user&gt; &amp; &quot;more&quot; (given a user exists)"',
  )
  expect(xml.match(/<failure type="mismatch"/g)).toHaveLength(1)
})

test('the HTML page loads nothing, and its policy allows its own style and script', () => {
  const page = formatReport(report, 'html')
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]
  for (const element of ['style', 'script']) {
    const [, text] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) as RegExpExecArray
    const hash = createHash('sha256')
      .update(text as string)
      .digest('base64')
    expect(policy).toContain(`${element}-src 'sha256-${hash}'`)
  }
  expect(policy).toContain("default-src 'none'")
  expect(page).not.toMatch(/\s(?:src|style|on\w+)=|href="(?!#|https:)/)
  expect(page).not.toMatch(/url\(|@import/)
  expect(page).not.toContain('<user>')
})

test('annotations for GitHub are one line each', () => {
  const lines = formatReport(report, 'github').trimEnd().split('\n')
  expect(lines[0]).toMatch(
    /^::error file=web-users.json,title=web - users%3A a <user> & "more"::Given a user exists%0AResponse status did not match%0A/,
  )
  expect(lines.every((line) => /^::(?:error|warning|notice) /.test(line))).toBe(true)
})

test('reports contain the line of the interaction, the date, and the version', async () => {
  const file = join(temporaryDirectory(), 'web-users.json')
  writeFileSync(file, JSON.stringify(contract, undefined, 2))
  // Without variables of the CI system, which would override these.
  const before = { ...process.env }
  for (const name of Object.keys(before)) delete process.env[name]
  Object.assign(process.env, { BUILD_URL: 'https://ci.example/7', GIT_COMMIT: 'c0ffee', GIT_BRANCH: 'main' })
  let found: VerificationReport | undefined
  try {
    await withProvider(answering(200, {}), async (url) => {
      const verifier = new Verifier('users').addSource(file).addTransport(url)
      found = ((await verifier.verify().catch((error: unknown) => error)) as VerificationError).report
    })
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, before)
  }
  expect(found?.date).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const { description, line } of found?.contracts[0]?.interactions ?? []) {
    expect(lines[Number(line) - 1]).toBe('    {')
    expect(lines[Number(line) + 1]).toContain(`"description": ${JSON.stringify(description)}`)
  }
  expect(found?.contracts[0]?.interactions).toHaveLength(2)
  expect(found).toMatchObject({ buildUrl: 'https://ci.example/7', providerVersion: 'c0ffee', providerBranch: 'main' })
  expect(formatReport(found as VerificationReport, 'html')).toContain('<a href="https://ci.example/7">')
})

test('rejects reports that cannot be written', async () => {
  expect(() => formatReport(report, 'pdf' as ReportFormat)).toThrow(
    new ContractArgumentError(
      'ERR_CONTRACT_REPORT',
      'unknown report format "pdf"; valid formats are json, junit, markdown, html, and github',
    ),
  )
  expect(() => formatReport({} as VerificationReport, 'html')).toThrow(
    'invalid verification report: /formatVersion must be an integer',
  )
  await expect(new Verifier('users').writeReport('html', 'report.html')).rejects.toThrow(
    'writeReport: no report is available; call verify first',
  )
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  await expect(writeReport(report, 'html', join(file, 'report.html'))).rejects.toThrow(ContractFileError)
})

test('each mismatch has a location in every format', async () => {
  const rules = (match: Record<string, string>) => ({ combine: 'AND', matchers: [match] })
  const message = {
    consumer: { name: 'web' },
    provider: { name: 'events' },
    interactions: [
      {
        type: 'Asynchronous/Messages',
        description: 'placed',
        metadata: { topic: 'orders', position: { lat: 1.5 } },
        matchingRules: {
          metadata: { topic: rules({ match: 'regex', regex: 'orders.*' }), position: rules({ match: 'type' }) },
        },
      },
    ],
    metadata: { pactSpecification: { version: '4.0' } },
  }
  const events = new Verifier('events')
    .addSource({ json: message })
    .messageHandler({ placed: { contents: 'x', metadata: { topic: 'bills', position: { lat: 'far' } } } })
    .setColouredOutput(false)
  const error = await events.verify().catch((error: unknown) => error as VerificationError)
  const failed = error as VerificationError
  for (const text of [failed.message, formatReport(failed.report, 'junit'), formatReport(failed.report, 'github')]) {
    expect(text).toMatch(/metadata topic -(>|&gt;) Expected /)
    expect(text).toMatch(/metadata position at \$\.lat -(>|&gt;) Expected /)
  }
  expect(formatReport(failed.report, 'markdown')).toContain('<code>metadata topic</code>: Expected')
  expect(formatReport(failed.report, 'markdown')).toContain('<summary>1 interaction</summary>')
  expect(formatReport(failed.report, 'html')).toContain('<code>metadata topic</code> Expected')
})
