// `contract doctor` as a user runs it.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { version } from 'contract'
import { type RunningBroker, startBroker } from 'contract/broker'
import { temporaryDirectory } from './support/temporary.ts'

const checkout = resolve(__dirname, '..')

interface Check {
  readonly name: string
  readonly status: string
  readonly text: string
  readonly fix?: string
}

interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Creates a project with contract and Jest. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryDirectory()
  const manifest = { name: 'shop', devDependencies: { contract: version } }
  const all = {
    'package.json': JSON.stringify(manifest),
    'node_modules/jest/package.json': '{ "version": "30.5.2" }',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  symlinkSync(checkout, join(folder, 'node_modules', 'contract'), 'junction')
  return folder
}

/** Runs the command without the variables of this process, apart from those that every process needs. */
function doctor(folder: string, environment: NodeJS.ProcessEnv = {}, ...args: readonly string[]): Promise<Outcome> {
  const { PATH, SystemRoot, CONTRACT_NATIVE_PATH } = process.env
  const env = { PATH, SystemRoot, ...(CONTRACT_NATIVE_PATH && { CONTRACT_NATIVE_PATH }), ...environment }
  const child = spawn(process.execPath, [join(checkout, 'bin', 'contract.js'), 'doctor', ...args], { cwd: folder, env })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })))
}

async function check(name: string, folder: string, environment: NodeJS.ProcessEnv = {}): Promise<Check | undefined> {
  const { stdout } = await doctor(folder, environment, '--json')
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] }
  return checks.find((each) => each.name === name)
}

test('a healthy project', async () => {
  const { status, stdout, stderr } = await doctor(project())
  expect(stdout.replace(/core-\S+/, 'core-PLATFORM').replace(/contract\.node/, 'contract.node')).toBe(
    [
      `ok       node        Node ${process.versions.node}`,
      `ok       package     contract ${version}`,
      'ok       core        @contract-testing/core-PLATFORM',
      'ok       executable  contract verify and contract-broker run',
      'ok       runner      Jest 30.5.2',
      'ok       directory   no contract directory yet; the first test that passes creates it',
      '-        ci          not running in a CI system',
      '-        broker      no broker is configured',
      '                     To use a broker, set CONTRACT_BROKER_BASE_URL and CONTRACT_BROKER_TOKEN, or a user name and password.',
      'No check failed.',
      '',
    ].join('\n'),
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('each failure shows its fix, and the exit code is 1', async () => {
  const folder = project({ contracts: 'a file' })
  const { status, stdout } = await doctor(folder, { CONTRACT_NATIVE_PATH: 'nowhere.node', PACT_BROKER_TOKEN: 'secret' })
  expect(stdout).toContain('FAILED   core        @contract-testing/core-')
  expect(stdout).toContain('If CONTRACT_NATIVE_PATH is set, no other file is tried. Unset it')
  expect(stdout).toContain('-        executable  not checked, because the native core is missing')
  expect(stdout).toContain('FAILED   directory   contracts is not a directory\n')
  expect(stdout).toContain('FAILED   broker      PACT_BROKER_TOKEN is set, but no broker URL\n')
  expect(stdout).toContain('\n3 checks failed.\n')
  expect(stdout).not.toContain('secret')
  expect(status).toBe(1)
})

test('the result as JSON', async () => {
  const { status, stdout } = await doctor(project(), {}, '--json')
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
  expect([ok, status]).toEqual([true, 0])
  expect(checks[0]).toEqual({ name: 'node', status: 'ok', text: `Node ${process.versions.node}` })
})

describe('the package', () => {
  test('a directory without package.json', async () => {
    expect(await check('package', temporaryDirectory())).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('package.json not found in '),
    })
  })

  test('is not installed', async () => {
    const folder = temporaryDirectory()
    writeFileSync(join(folder, 'package.json'), '{}')
    expect(await check('package', folder)).toEqual({
      name: 'package',
      status: 'failed',
      text: 'contract is not installed in this project',
      fix: 'Install it in this project; see docs/start/installation.md.',
    })
  })

  test('is not listed', async () => {
    expect(await check('package', project({ 'package.json': '{}' }))).toMatchObject({ status: 'warning' })
  })
})

test('test runners', async () => {
  const runners = project({
    'package.json': `{ "devDependencies": { "contract": "${version}" }, "scripts": { "test": "node --test" } }`,
    'node_modules/vitest/package.json': '{ "version": "4.1.12" }',
  })
  expect(await check('runner', runners)).toMatchObject({
    status: 'ok',
    text: 'Jest 30.5.2, Vitest 4.1.12, node --test',
  })
  const old = project({ 'node_modules/jest/package.json': '{ "version": "27.0.1" }' })
  expect(await check('runner', old)).toEqual({
    name: 'runner',
    status: 'warning',
    text: 'Jest 27.0.1 is older than 29, the oldest supported version',
    fix: 'Update it: npm install --save-dev jest@latest',
  })
})

describe('the contract directory', () => {
  test('has contracts', async () => {
    expect(await check('directory', project({ 'contracts/a.json': '{}', 'contracts/b.json': '{}' }))).toEqual({
      name: 'directory',
      status: 'ok',
      text: 'contracts is writable, 2 contract files',
    })
  })

  test('has a broken file', async () => {
    expect(await check('directory', project({ 'pacts/a.json': '{' }))).toMatchObject({
      status: 'failed',
      text: `${join('pacts', 'a.json')} is not a JSON object`,
    })
  })

  test('is read-only', async () => {
    const folder = project({ 'out/a.json': '{}' })
    chmodSync(join(folder, 'out'), 0o555)
    expect(await check('directory', folder, { CONTRACT_OUTPUT_DIR: 'out' })).toEqual({
      name: 'directory',
      status: 'failed',
      text: 'out (CONTRACT_OUTPUT_DIR) is not writable',
      fix: 'Change its permissions: chmod u+w out',
    })
    chmodSync(join(folder, 'out'), 0o755)
  })
})

test('pact-js is still installed', async () => {
  const folder = project({ 'node_modules/@pact-foundation/pact/package.json': '{ "version": "16.5.0" }' })
  expect(await check('pact-js', folder)).toMatchObject({
    status: 'warning',
    fix: 'Convert your tests: npx contract migrate pact-js. Then: npm uninstall @pact-foundation/pact',
  })
})

test('the variables of a CI system', async () => {
  const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_SHA: 'a', GITHUB_REF: 'refs/heads/main' }
  expect(await check('ci', project(), github)).toEqual({
    name: 'ci',
    status: 'ok',
    text: 'GitHub Actions: version from GITHUB_SHA, branch from GITHUB_REF',
  })
  expect(await check('ci', project(), { CI: 'true', GIT_COMMIT: 'a' })).toEqual({
    name: 'ci',
    status: 'warning',
    text: 'an unknown CI system: the branch of the build cannot be detected',
    fix: 'Set GIT_BRANCH, or pass --consumer-app-version and --branch.',
  })
})

describe('the broker', () => {
  let broker: RunningBroker
  beforeAll(async () => {
    const credentials = { username: 'ci', password: 'secret' }
    broker = await startBroker({ credentials, readOnlyCredentials: { username: 'dev', password: 'secret' } })
  })
  afterAll(() => broker.stop())

  test('accepts the credentials', async () => {
    const variables = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_USERNAME: 'ci', PACT_BROKER_PASSWORD: 'secret' }
    expect(await check('broker', project(), variables)).toMatchObject({
      status: 'ok',
      text: expect.stringMatching(/credentials: .*, can read and publish$/),
    })
  })

  test('rejects the credentials', async () => {
    const variables = { CONTRACT_BROKER_BASE_URL: broker.url, CONTRACT_BROKER_TOKEN: 'wrong' }
    const { status, stdout } = await doctor(project(), variables)
    expect(stdout).toContain('FAILED   broker')
    expect(stdout).toContain('Check CONTRACT_BROKER_TOKEN, or CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.\n')
    expect(stdout).not.toContain('wrong')
    expect(status).toBe(1)
  })

  test('only lets the credentials read', async () => {
    const variables = {
      CONTRACT_BROKER_BASE_URL: broker.url,
      CONTRACT_BROKER_USERNAME: 'dev',
      CONTRACT_BROKER_PASSWORD: 'secret',
    }
    expect(await check('broker', project(), variables)).toMatchObject({
      status: 'warning',
      fix: 'To publish, use credentials with write access.',
    })
  })

  test('is not reachable, or the URL is invalid', async () => {
    const variables = { CONTRACT_BROKER_BASE_URL: 'http://127.0.0.1:9', CONTRACT_BROKER_HTTP_RETRIES: '0' }
    expect(await check('broker', project(), variables)).toMatchObject({
      status: 'failed',
      fix: 'Check CONTRACT_BROKER_BASE_URL, the network, and the proxy.',
    })
    expect(await check('broker', project(), { CONTRACT_BROKER_BASE_URL: 'broker' })).toMatchObject({ status: 'failed' })
  })
})

test('an unknown argument', async () => {
  expect(await doctor(project(), {}, '--fix')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'doctor: unknown argument --fix. Options: --json, --help\n',
  })
})
