// Selection and order of interactions, and the messages of failures.
import { spawnSync } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  type FilterOptions,
  type VerificationReport,
  Verifier,
  type VerifierOptions,
  type VerifyRunOptions,
} from 'contract'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'

const ok = answering(200, {})
const interactions = (report: VerificationReport | undefined) =>
  report?.contracts.flatMap(({ interactions }) => interactions) ?? []
const descriptions = (report: VerificationReport) => interactions(report).map(({ description }) => description)
const statuses = (report: VerificationReport | undefined) => interactions(report).map(({ status }) => status)

const four = [
  asking('/a', 200, { key: 'first' }),
  asking('/b', 200, { states: ['b exists'] }),
  asking('/c', 200, { states: ['c exists', 'd exists'] }),
  asking('/d'),
]

function verify(options: VerifierOptions = {}, run: VerifyRunOptions = {}, asked = four): Promise<VerificationReport> {
  return withProvider(ok, (url) =>
    new Verifier('users', {
      sources: [contractFile(asked)],
      transports: [url],
      stateHandler: () => {},
      ...options,
    }).verify(run),
  )
}

describe('filters', () => {
  test.each<[FilterOptions | string | RegExp, readonly string[]]>([
    ['[ab]$', ['a', 'b']],
    [/[AB]$/i, ['a', 'b']],
    [{ description: /\/[A-C]/i }, ['a', 'b', 'c']],
    [{ state: 'exists' }, ['b', 'c']],
    [{ state: /^d/ }, ['c']],
    [{ noState: true }, ['a', 'd']],
    [{ state: '' }, ['a', 'd']],
    [{ id: 'first' }, ['a']],
    [{ kind: 'HTTP', description: 'd$' }, ['d']],
  ])('%j', async (filter, paths) => {
    const report = await verify({ filter })

    expect(descriptions(report)).toEqual(paths.map((path) => `a request for /${path}`))
    expect(report.summary.filtered).toBe(4 - paths.length)
  })

  test.each<[[string | RegExp | undefined, (string | RegExp)?], readonly string[]]>([
    [['[bc]$', /^d/], ['c']],
    [[/[ab]$/, ''], ['a']],
    [
      [undefined, 'exists'],
      ['b', 'c'],
    ],
  ])('description and state side by side: %j', async (patterns, paths) => {
    const report = await withProvider(ok, (url) =>
      new Verifier('users', { sources: [contractFile(four)], transports: [url] }).filter(...patterns).verify(),
    )

    expect(descriptions(report)).toEqual(paths.map((path) => `a request for /${path}`))
  })

  test('accept a fingerprint from a report as ID', async () => {
    const all = await verify()

    expect(descriptions(await verify({ filter: { id: interactions(all)[2]?.fingerprint ?? '' } }))).toEqual([
      'a request for /c',
    ])
  })

  test('are replaced by a repeated call', async () => {
    const report = await withProvider(ok, (url) =>
      new Verifier('users', { sources: [contractFile(four)], transports: [url] }).filter('a$').filter('d$').verify(),
    )

    expect(descriptions(report)).toEqual(['a request for /d'])
  })

  test('consumers', async () => {
    const sources = ['web', 'phone'].map((consumer) => contractFile([asking('/a')], { consumer }))

    const report = await verify({ sources, filterConsumers: ['phone'] })

    expect(report.contracts.map(({ consumer }) => consumer)).toEqual(['phone'])
  })

  test('that select nothing are reported, with the existing interactions', async () => {
    await expect(verify({ filter: 'nope' })).rejects.toThrow(
      /no interaction matches the filters .*Interactions in the contracts: 4, for example: "a request for \/a"/,
    )
  })

  test.each<[FilterOptions, RegExp]>([
    [{ description: '(' }, /description filter is invalid/],
    [{ state: '[' }, /state filter is invalid/],
    [{ state: 'a', noState: true }, /are mutually exclusive/],
    [{ kind: 'TCP' as 'HTTP' }, /unknown interaction type "TCP"/],
    [
      { name: 'a' } as FilterOptions,
      /filter: unknown option "name"\.\n {2}Options: description, state, noState, id, kind/,
    ],
  ])('%j is refused at once', (filter, words) => {
    expect(() => new Verifier('users').filter(filter)).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringMatching(words) }),
    )
  })
})

test('names of consumers are compared literally', () => {
  expect(() => new Verifier('users').filterConsumers(['web'] as never)).toThrow('filterConsumers: names[0]')
})

describe('the environment', () => {
  const names = ['CONTRACT_DESCRIPTION', 'CONTRACT_PROVIDER_STATE', 'CONTRACT_PROVIDER_NO_STATE', 'CONTRACT_URL']
  afterEach(() => {
    for (const name of names) delete process.env[name]
  })

  test.each<[Record<string, string>, readonly string[]]>([
    [{ CONTRACT_DESCRIPTION: 'c$' }, ['c']],
    [{ CONTRACT_PROVIDER_STATE: '^b' }, ['b']],
    [{ CONTRACT_PROVIDER_NO_STATE: 'true' }, ['a', 'd']],
    [{ CONTRACT_DESCRIPTION: '' }, ['a', 'b', 'c', 'd']],
  ])('%j', async (variables, paths) => {
    Object.assign(process.env, variables)

    expect(descriptions(await verify())).toEqual(paths.map((path) => `a request for /${path}`))
  })

  test('the command of a failure runs it again, and nothing else', async () => {
    const error = await failureOf(verify({}, {}, [...four, asking('/(e)', 500, { states: ["it's"] })]))
    const command = /CONTRACT_DESCRIPTION=.*/.exec(error.message)?.[0] ?? ''

    const script = "console.log(process.env.CONTRACT_DESCRIPTION + '\\n' + process.env.CONTRACT_PROVIDER_STATE)"
    const [description, state] = spawnSync(
      'sh',
      ['-c', `${command.split(' CONTRACT_').join(' CONTRACT_')} node -e "$SCRIPT"`],
      {
        encoding: 'utf8',
        env: { ...process.env, SCRIPT: script },
      },
    ).stdout.split('\n')
    Object.assign(process.env, { CONTRACT_DESCRIPTION: description, CONTRACT_PROVIDER_STATE: state })
    const again = await failureOf(verify({}, {}, [...four, asking('/(e)', 500, { states: ["it's"] })]))

    expect(again.report.summary).toMatchObject({ total: 1, failed: 1 })
  })

  test('CONTRACT_URL replaces the sources', async () => {
    process.env.CONTRACT_URL = contractFile([asking('/only')])

    expect(descriptions(await verify())).toEqual(['a request for /only'])
  })

  test('reports an invalid pattern with its variable', async () => {
    process.env.CONTRACT_DESCRIPTION = '('

    await expect(verify()).rejects.toThrow('CONTRACT_DESCRIPTION is not a valid regular expression: "("')
  })
})

describe('running', () => {
  const failing = [asking('/a'), asking('/b', 500), asking('/c'), asking('/d', 500)]

  test('verifies all interactions, even if some fail', async () => {
    const error = await failureOf(verify({}, {}, failing))

    expect(statuses(error.report)).toEqual(['passed', 'failed', 'passed', 'failed'])
  })

  test('exitFirst', async () => {
    const error = await failureOf(verify({}, { exitFirst: true }, failing))

    expect(statuses(error.report)).toEqual(['passed', 'failed', 'skipped', 'skipped'])
    expect(error.report.summary).toMatchObject({ skipped: 2 })
  })

  test('lastFailed', async () => {
    const provider = `users ${process.pid}`
    let broken = true
    const asked: unknown[] = []
    await withProvider(
      (request, response) => {
        asked.push(request.url)
        answering(broken && request.url === '/b' ? 500 : 200, {})(request, response)
      },
      async (url) => {
        const verifier = new Verifier(provider, { sources: [contractFile(four, { provider })], transports: [url] })
        const first = await verifier.verify({ lastFailed: true }).catch((error) => error.report)
        expect(first.warnings).toContainEqual(expect.stringContaining('no failures are recorded from the last run'))
        asked.length = 0
        broken = false

        const report = await verifier.verify({ lastFailed: true })

        expect(asked).toEqual(['/b'])
        expect(report.summary).toMatchObject({ passed: 1, filtered: 3 })
        expect((await verifier.verify({ lastFailed: true })).summary.passed).toBe(4)
      },
    )
  })

  test('concurrency: interactions without states run in parallel, results are in order', async () => {
    const stateless = ['/1', '/2', '/3'].map((path) => asking(path))
    const waiting: ServerResponse[] = []
    const order: unknown[] = []

    const report = await withProvider(
      (request, response) => {
        order.push(request.url)
        if (request.url === '/s') return ok(request, response)
        waiting.push(response)
        // Responds after all three requests were received, the last one first.
        if (waiting.length === 3) for (const one of waiting.reverse()) one.writeHead(200).end()
      },
      (url) =>
        new Verifier('users', {
          sources: [contractFile([asking('/s', 200, { states: ['a'] }), ...stateless])],
          transports: [url],
          stateHandler: () => {},
        }).verify({ concurrency: 3 }),
    )

    expect(order.at(-1)).toBe('/s')
    expect(descriptions(report)).toEqual([
      'a request for /s',
      'a request for /1',
      'a request for /2',
      'a request for /3',
    ])
  })

  test.each<[unknown, RegExp]>([
    [{ exitfirst: true }, /^verify: unknown option "exitfirst"\. Did you mean "exitFirst"\?\n {2}Options: exitFirst, /],
    [
      { timeout: 5 },
      /^verify: unknown option "timeout"\.\n {2}Options: exitFirst, lastFailed, concurrency, progress\n\[ERR_CONTRACT_OPTIONS\]$/,
    ],
    [{ exitFirst: 'yes' }, /^verify: exitFirst must be true or false, received "yes" \[/],
    ['fast', /^verify: options .*, received a string \[/],
  ])('verify(%j) is refused, and the next run is as if it had not been', async (run, words) => {
    await withProvider(ok, async (url) => {
      const verifier = new Verifier('users', { sources: [contractFile([asking('/a')])], transports: [url] })
      await expect(verifier.verify(run as never)).rejects.toMatchObject({
        name: 'ContractArgumentError',
        code: 'ERR_CONTRACT_OPTIONS',
        message: expect.stringMatching(words),
      })
      expect((await verifier.verify({ exitFirst: undefined })).success).toBe(true)
    })
  })

  test.each([0, 1.5, Number.NaN, '2' as never])('concurrency: %p is rejected', async (concurrency) => {
    await expect(verify({}, { concurrency })).rejects.toMatchObject({ code: 'ERR_CONTRACT_OPTIONS' })
  })

  test('pending failures are reported and do not fail the run', async () => {
    const file = contractFile([asking('/a'), asking('/b', 500, { pending: true })])

    const { report, text } = await withProvider(ok, async (url) => {
      const verifier = new Verifier('users', { sources: [file], transports: [url] })
      return { report: await verifier.verify(), text: verifier.output({ stripAnsi: true }) }
    })

    expect(report).toMatchObject({ success: true, summary: { passed: 1, failed: 0, pending: 1 } })
    expect(statuses(report)).toEqual(['passed', 'pending'])
    expect(text).toMatch(/pending/i)
    expect(text).toContain('Expected status')
  })

  test('results, output and logs of the last run are kept', async () => {
    await withProvider(answering(500, {}), async (url) => {
      const verifier = new Verifier('users', {
        sources: [contractFile([asking('/a')])],
        transports: [url],
        colouredOutput: true,
      })
      expect([verifier.results, verifier.output(), verifier.logs]).toEqual([undefined, '', []])

      const error = await failureOf(verifier.verify())

      expect(verifier.results).toBe(error.report)
      expect(verifier.output()).toBe(error.output)
      expect(verifier.output()).toContain('\u001b[31m')
      expect(verifier.output({ stripAnsi: true })).not.toContain('\u001b')
      expect(verifier.logs).toContainEqual(expect.stringMatching(/DEBUG GET http:\/\/127\.0\.0\.1:\d+\/a: 500/))
      expect(error.logs).toEqual(verifier.logs)
    })
  })

  test.each([
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ NO_COLOR: '1' }, false],
  ])('colours with %j: %p', async (variables, coloured) => {
    const { FORCE_COLOR, NO_COLOR } = process.env
    delete process.env.FORCE_COLOR
    Object.assign(process.env, variables)
    try {
      const error = await failureOf(verify({}, {}, [asking('/a', 500)]))
      expect(error.message.includes('\u001b[31m')).toBe(coloured)
    } finally {
      delete process.env.FORCE_COLOR
      delete process.env.NO_COLOR
      Object.assign(process.env, { ...(FORCE_COLOR && { FORCE_COLOR }), ...(NO_COLOR && { NO_COLOR }) })
    }
  })

  test('a long run shows its progress, a short one nothing', () => {
    const script = `
      const { Verifier } = require(${JSON.stringify(require.resolve('contract'))})
      const [file, delay] = process.argv.slice(1)
      const app = (request, response) => setTimeout(() => response.writeHead(200).end(), Number(delay))
      new Verifier('users').addSource(file).addTransport({ app }).verify({ progress: true })`
    const run = (delay: number) => {
      const file = contractFile([asking('/1'), asking('/2'), asking('/3')])
      return spawnSync(process.execPath, ['-e', script, file, String(delay)], { encoding: 'utf8', timeout: 20_000 })
        .stderr
    }

    expect(run(0)).toBe('')
    const shown = run(700)
    expect(shown).toContain('2 of 3 interactions verified')
    expect(shown.endsWith('\r\u001b[K')).toBe(true)
  })
})

test('two runs of one verifier are independent', async () => {
  const server = createServer(ok)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const verifier = new Verifier('users', {
    sources: [contractFile(four)],
    transports: [{ app: server }],
    stateHandler: () => {},
  })

  const reports = await Promise.all([verifier.verify(), verifier.verify()])
  server.close()
  server.closeAllConnections()

  expect(reports.map(({ summary }) => summary.passed)).toEqual([4, 4])
})
