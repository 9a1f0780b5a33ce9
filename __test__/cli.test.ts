// The command line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract.js')

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command in its own directory. */
function contract(args: readonly string[], env: Record<string, string> = {}, cwd = place()): Promise<Run> {
  return run(process.execPath, [launcher, ...args], env, cwd)
}

/** Runs a program without environment variables that affect the command. */
async function run(program: string, args: readonly string[], env: Record<string, string>, cwd: string): Promise<Run> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:CONTRACT_(?!NATIVE_PATH)|GITHUB_|NO_COLOR|FORCE_COLOR|.*_proxy$)/i.test(name),
  )
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(kept), XDG_CACHE_HOME: cwd, COLUMNS: '100', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, out, err }
}

function interaction(description: string, status: number, more: object = {}): object {
  return { type: 'Synchronous/HTTP', description, request: { path: '/' }, response: { status }, ...more }
}

function place(...interactions: object[]): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'contracts'))
  const document = {
    consumer: { name: 'web' },
    provider: { name: 'users' },
    interactions,
    metadata: { pactSpecification: { version: '4.0' } },
  }
  writeFileSync(join(directory, 'contracts', 'web-users.json'), JSON.stringify(document))
  return directory
}

/** Verifies the contract against a provider. */
function verifying(
  listener: RequestListener,
  interactions: readonly object[],
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Run & { directory: string }> {
  return withProvider(listener, async (url) => {
    const directory = place(...interactions)
    const where = ['--dir', 'contracts', '--port', new URL(url).port, '--hostname', '127.0.0.1']
    const run = await contract(['verify', '--provider-name', 'users', ...where, ...args], env, directory)
    return { ...run, directory }
  })
}

describe('contract verify', () => {
  test('0: the provider satisfies its contract', async () => {
    const { code, out, err } = await verifying(answering(200, {}), [interaction('fine', 200)])
    expect(err).toBe('')
    expect(out).toContain('Verifying a contract between web and users\n')
    expect(out).toContain('1 interaction verified: 1 passed\nThe verification passed\n')
    expect(code).toBe(0)
  })

  test('0: only pending interactions failed, which is reported', async () => {
    const { code, out } = await verifying(answering(200, {}), [interaction('later', 201, { pending: true })])
    expect(out).toContain('The verification passed with 1 pending failure')
    expect(code).toBe(0)
  })

  test('1: the provider does not satisfy its contract', async () => {
    const { code, out } = await verifying(answering(200, {}), [interaction('fine', 200), interaction('wrong', 201)])
    expect(out).toMatch(/\b201\b.*\b200\b/)
    expect(out).toContain("Run only this interaction: CONTRACT_DESCRIPTION='^wrong$' CONTRACT_PROVIDER_NO_STATE=true ")
    expect(out).toMatch(
      / (?:npx )?contract verify --provider-name users --dir contracts --port \d+ --hostname 127\.0\.0\.1\n/,
    )
    expect(out).toContain('There was 1 failure')
    expect(code).toBe(1)
  })

  test('1: the provider is not running', async () => {
    const gone = await withProvider(answering(200, {}), async (url) => new URL(url).port)
    const args = ['verify', '-n', 'users', '-d', 'contracts', '--hostname', '127.0.0.1', '-p', gone]
    const { code, out } = await contract(args, {}, place(interaction('fine', 200)))
    expect(out).toContain('connection refused. Is the provider running?')
    expect(code).toBe(1)
  })

  test('1: no contract for the provider, and 0 if that is allowed', async () => {
    const directory = place(interaction('fine', 200))
    const args = ['verify', '--provider-name', 'orders', '--dir', 'contracts']
    const refused = await contract(args, {}, directory)
    expect(refused.err).toBe(
      'error: no contract found for provider "orders": found only contracts for "users". ' +
        'To allow this, use --ignore-no-contracts-error [ERR_CONTRACT_NO_CONTRACT]\n',
    )
    expect(refused.code).toBe(1)
    // Other verifiers call it --provider.
    const elsewhere = args.map((arg) => arg.replace('--provider-name', '--provider'))
    const allowed = await contract([...elsewhere, '--ignore-no-contracts-error'], {}, directory)
    expect(allowed.out).toContain('There were no interactions to verify')
    expect(allowed.code).toBe(0)
  })

  test('1: a contract or a response that exceeds its limit', async () => {
    const directory = place(interaction('fine', 200))
    const args = ['verify', '-n', 'users', '-d', 'contracts', '--hostname', '127.0.0.1']
    const large = await contract([...args, '--source-limit', '10'], {}, directory)
    expect(large.err).toMatch(
      /bytes, more than the limit of 10; raise the source limit with --source-limit \[ERR_CONTRACT_SOURCE\]\n$/,
    )
    expect(large.code).toBe(1)
    const answer = await withProvider(answering(200, { text: 'x'.repeat(100) }), (url) =>
      contract([...args, '-p', new URL(url).port, '--body-limit', '50'], {}, directory),
    )
    expect(answer.out).toMatch(/\b50 bytes/)
    expect(answer.code).toBe(1)
  })

  test('1: a source that is not a contract', async () => {
    const directory = place()
    writeFileSync(join(directory, 'broken.json'), '{')
    const { code, err } = await contract(['verify', '-n', 'users', '-f', 'broken.json'], {}, directory)
    expect(err).toMatch(/^error: broken\.json/)
    expect(code).toBe(1)
  })

  test.each([
    [['verify', '--dir', '.'], /the following required arguments were not provided:\n {2}--provider-name <NAME>/],
    [
      ['verify', '-n', 'users'],
      /no contract sources for provider "users"; add one with --file, --dir, --url or --broker-url/,
    ],
    [['verify', '-n', 'users', '--provider-nam', 'x'], /a similar argument exists: '--provider-name'/],
    [
      ['verify', '-n', 'users', '-d', '.', '--hostname', 'http://localhost:80'],
      /must be a host name, such as localhost; pass the other parts with --scheme, --port, and --base-path/,
    ],
    [['verify', '-n', 'users', '-d', '.', '--custom-header', 'x'], /must be a name and a value, such as 'X-Tenant: 7'/],
    [['verify', '-n', 'users', '-d', '.', '--concurrency', '0'], /must be an integer greater than 0/],
    [['verify', '-n', 'users', '-d', '.', '--user', 'me'], /--url <URL>/],
    [
      ['verify', '-n', 'users', '-d', '.', '--filter-state', 'a', '--filter-no-state'],
      /cannot be used with '--filter-no-state'/,
    ],
    [['verify', '-n', 'users', '-d', '.', '--filter-description', '('], /the description filter is invalid/],
    [
      ['verify', '-n', 'users', '-d', '.', '--transports', 'message'],
      /must be a name and a URL, such as message=http:/,
    ],
    [
      ['verify', '-n', 'users', '-d', '.', '--ca', 'missing.pem'],
      /could not read the certificate or key in missing\.pem: No such file/,
    ],
    [['verify', '-n', 'users', '-d', '.', '--log-level', 'loud'], /invalid value 'loud' for '--log-level <LEVEL>'/],
    [['verfy'], /a similar subcommand exists: 'verify'/],
  ])('2: %j', async (args, message) => {
    const { code, out, err } = await contract(args)
    expect(err).toMatch(message)
    expect(err).toMatch(/^error: /)
    expect(out).toBe('')
    expect(code).toBe(2)
  })

  test('2: a report cannot be written; the others are', async () => {
    const { code, out, err, directory } = await verifying(
      answering(200, {}),
      [interaction('fine', 200)],
      ['--json-file', 'contracts', '--junit-file', 'made/report.xml'],
    )
    expect(out).toContain('The verification passed')
    expect(err).toMatch(/^error: could not write the report contracts: /)
    expect(readFileSync(join(directory, 'made/report.xml'), 'utf8')).toContain('<testcase classname="web - users"')
    expect(code).toBe(2)
  })

  test('reports are written in all formats', async () => {
    const files = { json: 'r.json', junit: 'r.xml', html: 'r.html', markdown: 'r.md' }
    const args = Object.entries(files).flatMap(([format, file]) => [`--${format}-file`, file])
    const { code, directory } = await verifying(answering(200, {}), [interaction('wrong', 201)], args)
    for (const file of Object.values(files)) {
      expect(readFileSync(join(directory, file), 'utf8')).toMatch(/\b201\b.*\b200\b/)
    }
    expect(code).toBe(1)
  })

  test('GitHub receives annotations and a summary, and no commands from the response of a provider', async () => {
    const directory = temporaryDirectory()
    const summary = join(directory, 'summary.md')
    writeFileSync(summary, 'of another step\n')
    const { out } = await verifying(answering(200, {}), [interaction('wrong\n::warning::gotcha', 201)], ['--github'], {
      GITHUB_STEP_SUMMARY: summary,
    })
    const [stop, ...lines] = out.split('\n')
    const token = /^::stop-commands::(contract-[0-9a-f]{16})$/.exec(stop as string)?.[1]
    const resumed = lines.indexOf(`::${token}::`)
    expect(lines.findIndex((line) => line.includes('::warning::gotcha'))).toBeLessThan(resumed)
    expect(lines[resumed + 1]).toMatch(
      /^::error file=contracts\/web-users.json,line=1,title=web - users%3A wrong%0A%3A%3Awarning%3A%3Agotcha::/,
    )
    expect(readFileSync(summary, 'utf8')).toMatch(/^of another step\n## ❌ Verification of users\n/)
  })

  test('states are changed by URL, with returned values and teardown', async () => {
    const calls: string[] = []
    const provider: RequestListener = async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      calls.push(`${request.method} ${request.url} ${body}`)
      response.setHeader('Content-Type', 'application/json').end('{}')
    }
    const needy = interaction('needy', 200, { providerStates: [{ name: 'a user', params: { id: 7 } }] })
    const run = await withProvider(provider, (states) =>
      verifying(provider, [needy], ['--state-change-url', `${states}/_states`, '--state-change-teardown']),
    )
    expect(run.code).toBe(0)
    expect(calls).toEqual([
      'POST /_states {"state":"a user","params":{"id":7},"action":"setup"}',
      'GET / ',
      'POST /_states {"state":"a user","params":{"id":7},"action":"teardown"}',
    ])
  })

  test('headers, base path and a contract behind a URL with a token', async () => {
    const seen: string[] = []
    const provider: RequestListener = (request, response) => {
      seen.push(`${request.url} ${request.headers['x-tenant']}`)
      response.end()
    }
    const document = readFileSync(join(place(interaction('fine', 200)), 'contracts', 'web-users.json'), 'utf8')
    const library: RequestListener = (request, response) => {
      const known = request.headers.authorization === 'Bearer abc'
      response.writeHead(known ? 200 : 401, { 'Content-Type': 'application/json' }).end(known ? document : '{}')
    }
    await withProvider(provider, (url) =>
      withProvider(library, async (source) => {
        const to = ['-n', 'users', '--hostname', '127.0.0.1', '--port', new URL(url).port]
        const with_ = ['--url', `${source}/web-users.json`, '--base-path', 'api', '-H', 'X-Tenant: 7']
        const run = await contract(['verify', ...to, ...with_, '--token', 'abc'])
        expect(run.code).toBe(0)
        const refused = await contract(['verify', ...to, ...with_])
        expect(refused.err).toContain('401')
        expect(refused.code).toBe(1)
      }),
    )
    expect(seen).toEqual(['/api/ 7'])
  })

  test('variables replace missing options', async () => {
    await withProvider(answering(200, {}), async (url) => {
      const directory = place(interaction('one', 200), interaction('two', 201))
      const env = {
        CONTRACT_PROVIDER_NAME: 'users',
        CONTRACT_PROVIDER_HOSTNAME: '127.0.0.1',
        CONTRACT_PROVIDER_PORT: new URL(url).port,
        CONTRACT_PROVIDER_BASE_PATH: '',
        CONTRACT_PROVIDER_REQUEST_TIMEOUT: '',
        CONTRACT_PROVIDER_STATE_CHANGE_URL: '',
        CONTRACT_DESCRIPTION: '^one$',
        FORCE_COLOR: '1',
      }
      const { code, out } = await contract(['verify', '--dir', 'contracts'], env, directory)
      expect(out).toContain('1 interaction verified: 1 passed, 1 filtered out')
      expect(out).toContain('\u001b[32mOK\u001b[0m')
      expect(code).toBe(0)
      const plain = await contract(['verify', '--dir', 'contracts', '--no-color'], env, directory)
      expect(plain.out).not.toContain('\u001b')
    })
  })

  // It is for a POSIX shell, which Windows does not have.
  const unix = process.platform === 'win32' ? test.skip : test
  unix('the command that a failure prints runs that interaction alone', async () => {
    const wrong = interaction("it's (wrong)", 201, { providerStates: [{ name: 'a state' }] })
    await withProvider(answering(200, {}), async (url) => {
      const directory = place(interaction('fine', 200), wrong)
      const where = ['--hostname', '127.0.0.1', '-p', new URL(url).port]
      const args = ['verify', '-n', 'users', '-d', 'contracts', ...where]
      const { out } = await contract(args, {}, directory)
      const [, words] = /Run only this interaction: (.*)\n/.exec(out) as RegExpExecArray
      // Replaces the package manager, which would find the command.
      const bin = temporaryDirectory()
      writeFileSync(join(bin, 'contract'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`)
      writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n')
      for (const name of ['contract', 'npx']) chmodSync(join(bin, name), 0o755)
      const again = await run('/bin/sh', ['-c', words as string], { PATH: `${bin}:${process.env.PATH}` }, directory)
      expect(again.out).toContain('1 interaction verified: 0 passed, 1 failed, 1 filtered out')
      expect(again.code).toBe(1)
    })
  })

  test('--exit-first stops, --last-failed verifies only what failed', async () => {
    await withProvider(answering(200, {}), async (url) => {
      const directory = place(interaction('fine', 200), interaction('wrong', 201), interaction('also fine', 200))
      const args = ['verify', '-n', 'users', '-d', 'contracts', '--hostname', '127.0.0.1', '-p', new URL(url).port]
      const first = await contract([...args, '--exit-first'], {}, directory)
      expect(first.out).toContain('3 interactions verified: 1 passed, 1 failed, 1 skipped')
      const last = await contract([...args, '--last-failed'], {}, directory)
      expect(last.out).toContain('1 interaction verified: 0 passed, 1 failed, 2 filtered out')
      expect(last.code).toBe(1)
    })
  })
})

describe('contract docs', () => {
  test('0: a site with a page for each contract', async () => {
    const directory = place(interaction('a <b> request', 200))
    const { code, out, err } = await contract(
      ['docs', 'contracts', '--out', 'a/site', '--title', 'Shop'],
      {},
      directory,
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(`Wrote 5 files for 1 contract. Open ${join('a', 'site', 'index.html')}\n`)
    const read = (name: string) => readFileSync(join(directory, 'a', 'site', name), 'utf8')
    expect(read('index.html')).toContain('href="web-users.html"')
    expect(read('web-users.html')).toContain('a &lt;b&gt; request')
    expect(read('assets/style.css')).toContain('--canvas')
  })

  test('2: a path that does not exist, has no contract, or cannot be written', async () => {
    const directory = place(interaction('a request', 200))
    writeFileSync(join(directory, 'notes.json'), '{"a": 1}')
    mkdirSync(join(directory, 'empty'))
    for (const [paths, out, expected] of [
      ['nowhere', 'site', /could not read the contracts in nowhere: No such file.*ERR_CONTRACT_SOURCE/],
      ['notes.json', 'site', /notes\.json: this JSON document is not a contract.*ERR_CONTRACT_SOURCE/],
      ['empty', 'site', /no contract files found in empty; run the consumer's tests first.*ERR_CONTRACT_OPTIONS/],
      ['contracts', 'notes.json', /could not write notes\.json.*ERR_CONTRACT_FILE/],
    ] as const) {
      const { code, err } = await contract(['docs', paths, '--out', out], {}, directory)
      expect(err).toMatch(expected)
      expect(code).toBe(/SOURCE/.test(expected.source) ? 1 : 2)
    }
  })
})

describe('help', () => {
  test.each([[['--help']], [['verify', '--help']], [['completions', '--help']]])('%j', async (args) => {
    const { code, out, err } = await contract(args)
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toMatchSnapshot()
  })

  test('is shown without arguments, with the exit code of invalid arguments', async () => {
    const { code, err } = await contract([])
    expect(err).toContain('Usage: contract <COMMAND>')
    expect(code).toBe(2)
  })
})

describe('completions', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('for %s know commands and options', async (shell) => {
    const { code, out } = await contract(['completions', shell])
    expect(code).toBe(0)
    for (const word of ['verify', 'completions', 'state-change-url', 'junit-file']) expect(out).toContain(word)
  })

  test('for an unknown shell are rejected with the list of shells', async () => {
    const { code, err } = await contract(['completions', 'tcsh'])
    expect(err).toMatch(/possible values: bash, elvish, fish, powershell, zsh/)
    expect(code).toBe(2)
  })
})
