// The whole flow: a broker, the consumer's pipeline, and the provider's pipeline, each in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type RunningBroker, startBroker } from 'contract/broker'

jest.setTimeout(120_000)

const root = join(__dirname, '..', '..')
const credentials = { username: 'ci', password: 'secret' }
const home = mkdtempSync(join(tmpdir(), 'pipeline-'))
let broker: RunningBroker

beforeAll(async () => {
  broker = await startBroker({ credentials })
  for (const name of ['web', 'prices']) cpSync(join(__dirname, name), join(home, name), { recursive: true })
  // Links the package as `npm ci` would install it.
  mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(root, join(home, 'node_modules', 'contract'), 'junction')
  for (const name of ['contract', 'contract-broker']) {
    symlinkSync(join(root, 'bin', `${name}.js`), join(home, 'node_modules', '.bin', name))
  }
  // Runs the installed command without npx, which would take one more second.
  writeFileSync(join(home, 'npx'), `#!/bin/sh\nname=$1; shift; exec "${home}/node_modules/.bin/$name" "$@"\n`)
  chmodSync(join(home, 'npx'), 0o755)
})

afterAll(async () => {
  await broker.stop()
  rmSync(home, { recursive: true, force: true })
})

/** The output and exit code of a pipeline. */
interface Run {
  readonly said: () => string
  readonly ended: Promise<number>
}

function run(folder: string, command: readonly string[], version = ''): Run {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(CONTRACT_(?!NATIVE_PATH)|PACT_|GITHUB_|CI$|JEST|NODE_OPTIONS|npm_)/.test(name),
  )
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: join(home, folder),
    env: {
      ...Object.fromEntries(kept),
      PATH: `${home}:${process.env.PATH}`,
      CONTRACT_BROKER_BASE_URL: broker.url,
      CONTRACT_BROKER_USERNAME: credentials.username,
      CONTRACT_BROKER_PASSWORD: credentials.password,
      VERSION: version,
      BRANCH: 'main',
      SECONDS_BETWEEN: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { said: () => said, ended: once(child, 'close').then(([code]) => code as number) }
}

const pipeline = (folder: string, version: string) => run(folder, ['sh', 'pipeline.sh'], version)

/** Requests JSON from the broker. */
async function asked(path: string): Promise<{ status: number; body: string }> {
  const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  const answer = await fetch(broker.url + path, { headers: { authorization } })
  return { status: answer.status, body: await answer.text() }
}

/** Checks that the pipeline succeeded, and shows its output otherwise. */
async function succeeded({ said, ended }: Run): Promise<string> {
  const code = await ended
  expect(code === 0 ? '' : `${said()}\nended with ${code}`).toBe('')
  return said()
}

describe('two pipelines and a broker', () => {
  test('from the first deployment to a change that is kept out of production', async () => {
    await succeeded(
      run('web', [
        'sh',
        join(home, 'npx'),
        'contract-broker',
        'create-environment',
        '--name',
        'production',
        '--production',
      ]),
    )

    // No consumer exists yet.
    expect(await succeeded(pipeline('prices', 'p1'))).toContain('prices is deployed')

    // The consumer publishes and waits; the provider verifies, and the consumer continues.
    const web = pipeline('web', 'w1')
    while ((await asked('/pacts/provider/prices/consumer/web/latest')).status === 404) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await succeeded(pipeline('prices', 'p1'))
    expect(await succeeded(web)).toContain('web is deployed')
    expect((await asked('/pacticipants/web/versions/w1')).body).toContain('"production"')

    // A field is renamed.
    const service = join(home, 'prices', 'service.mjs')
    const good = readFileSync(service, 'utf8')
    writeFileSync(service, good.replace('{ cents }', '{ price: cents }'))
    const broken = pipeline('prices', 'p2')
    expect(await broken.ended).not.toBe(0)
    expect(broken.said()).not.toContain('prices is deployed')
    const verdict = run('prices', [
      ...['sh', join(home, 'npx'), 'contract-broker', 'can-i-deploy', '--pacticipant', 'prices', '--version', 'p2'],
      ...['--to-environment', 'production'],
    ])
    expect(await verdict.ended).toBe(1)

    // The field is restored, and the version is deployed to production.
    writeFileSync(service, good)
    expect(await succeeded(pipeline('prices', 'p3'))).toContain('prices is deployed')
  })

  test.each(['web', 'prices'])('the workflow of %s does what its script does', (folder) => {
    const read = (file: string) => readFileSync(join(__dirname, folder, file), 'utf8').split('\n')
    const isCommand = (line: string) => /^(npm|npx|VERSION=)/.test(line)

    const script = read('pipeline.sh').filter(isCommand)
    const workflow = read('github-actions.yml')
      .map((line) => line.trim().replace(/^- run: /, ''))
      .filter((line) => isCommand(line) && line !== 'npm ci')

    expect(script.length).toBeGreaterThan(3)
    expect(workflow).toEqual(script)
    expect(existsSync(join(__dirname, folder, 'contracts'))).toBe(false)
  })
})
