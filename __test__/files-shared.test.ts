// Concurrent writers and disk errors: nothing is lost, duplicated, or partially written.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from '@jest/globals'
import { Contract, ContractArgumentError } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'

const entry = JSON.stringify(require.resolve('contract'))

/** `writer(name, count)` runs `count` consumer tests sequentially. */
const writer = `
  const { Contract } = require(${entry})
  async function writer(directory, name, count, done = () => {}) {
    const contract = new Contract('web', 'users', { directory })
    for (let i = 0; i < count; i += 1) {
      contract.uponReceiving(name + ' test ' + i).withRequest('GET', '/' + i).willRespondWith(200)
      await contract.serve(({ url }) => fetch(url + '/' + i))
      done(i)
    }
  }`

function start(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['-e', `${writer}; const args = process.argv.slice(1); ${script}`, '--', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Runs a script and returns its output. The exit code must be 0. */
function run(script: string, ...args: string[]): string {
  const code = `${writer}; const args = process.argv.slice(1); ${script}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code, '--', ...args], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

const path = (directory: string) => join(directory, 'web-users.json')
const read = (directory: string) => readFileSync(path(directory), 'utf8')
const descriptions = (directory: string): string[] =>
  JSON.parse(read(directory)).interactions.map(({ description }: { description: string }) => description)

function names(writers: readonly string[], count: number): string[] {
  return writers.flatMap((name) => Array.from({ length: count }, (_, i) => `${name} test ${i}`)).sort()
}

function writing(description: string, status = 200): Contract {
  const contract = new Contract('web', 'users')
  contract.uponReceiving(description).withRequest('GET', '/').willRespondWith(status)
  return contract
}

test('32 processes with 20 tests each write one file, and nothing is lost or duplicated', async () => {
  const directory = temporaryDirectory()
  const writers = Array.from({ length: 32 }, (_, number) => `process ${number}`)

  const ends = writers.map((name) => once(start('writer(args[0], args[1], 20)', directory, name), 'exit'))
  expect(await Promise.all(ends)).toEqual(writers.map(() => [0, null]))

  expect(descriptions(directory).sort()).toEqual(names(writers, 20))
  expect(readdirSync(directory)).toEqual(['web-users.json'])
  // The same bytes as if one process had written the file.
  const alone = temporaryDirectory()
  run('(async () => { for (const name of args.slice(1)) await writer(args[0], name, 20) })()', alone, ...writers)
  expect(read(directory)).toBe(read(alone))
})

test('threads of one process write one file, and nothing is lost or duplicated', async () => {
  const directory = temporaryDirectory()
  const writers = Array.from({ length: 6 }, (_, number) => `thread ${number}`)

  const ends = writers.map((name) => {
    const code = `${writer}; const { workerData } = require('node:worker_threads'); writer(...workerData)`
    return once(new Worker(code, { eval: true, workerData: [directory, name, 15] }), 'exit')
  })
  expect(await Promise.all(ends)).toEqual(writers.map(() => [0]))

  expect(descriptions(directory).sort()).toEqual(names(writers, 15))
})

test('a reader finds a complete file at any moment', async () => {
  const directory = temporaryDirectory()
  await writing('the first').writeFile(directory)
  const child = start('writer(args[0], "meanwhile", 100)', directory)
  const end = once(child, 'exit')
  let [reads, most] = [0, 0]
  while (child.exitCode === null && child.signalCode === null) {
    const { length } = descriptions(directory)
    expect(length).toBeGreaterThanOrEqual(most)
    most = length
    reads += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await end).toEqual([0, null])
  expect([reads > 10, descriptions(directory).length]).toEqual([true, 101])
})

test('a process that is killed while it writes leaves a complete file with everything that it had reported', async () => {
  const directory = temporaryDirectory()
  for (let round = 0; round < 8; round += 1) {
    const script = 'writer(args[0], args[1], 1000, (i) => require("node:fs").writeSync(1, i + "\\n"))'
    const child = start(script, directory, `round ${round}`)
    let reported = -1
    for await (const chunk of child.stdout ?? []) {
      for (const line of String(chunk).trim().split('\n')) reported = Number(line)
      // At a different point in each round.
      if (reported >= 3 + round) child.kill('SIGKILL')
    }
    const written = new Set(descriptions(directory))
    for (let i = 0; i <= reported; i += 1) expect(written).toContain(`round ${round} test ${i}`)
  }

  // Files left by killed processes are ignored and removed.
  await writing('the last').writeFile(directory)
  expect(readdirSync(directory)).toEqual(['web-users.json'])
})

test('reports a full disk, and does not change the file', async () => {
  const directory = temporaryDirectory()
  await writing('there before').writeFile(directory)
  const before = read(directory)
  const script = `${writer}; new Contract('web', 'users').uponReceiving('large').withRequest('GET', '/').willRespondWith(200)
    const contract = new Contract('web', 'users')
    contract.uponReceiving('large').withRequest('GET', '/').willRespondWith(200).withBody('x'.repeat(100000))
    contract.writeFile(process.argv[1]).catch((error) => console.log(error.name, error.code, error.path, error.message))`

  // A file size limit simulates a full disk.
  const { stdout } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, '-e', script, '--', directory],
    {
      encoding: 'utf8',
    },
  )

  expect(stdout).toContain(
    `ContractFileError ERR_CONTRACT_FILE_IO ${path(directory)} could not write ${path(directory)}: `,
  )
  expect(read(directory)).toBe(before)
  expect(readdirSync(directory)).toEqual(['web-users.json'])
})

test('reports a directory without write permission, with the file', () => {
  const directory = join(temporaryDirectory(), 'contracts')
  mkdirSync(directory)
  chmodSync(directory, 0o555)
  const script = `
    // Root can write anywhere, so run as another user.
    if (process.getuid() === 0) { process.setegid(65534); process.seteuid(65534) }
    const contract = new Contract('web', 'users')
    contract.uponReceiving('one').withRequest('GET', '/').willRespondWith(200)
    contract.writeFile(args[0]).catch((error) => console.log(error.name, error.code, error.message))`
  // Readable by others, regardless of the umask.
  chmodSync(join(directory, '..'), 0o755)

  const output = run(script, directory)

  expect(output).toMatch(/^ContractFileError ERR_CONTRACT_FILE_IO could not .*web-users\.json.*: Permission denied/)
  expect(readdirSync(directory)).toEqual([])
})

test('a test that passed but cannot write its file fails', async () => {
  const directory = temporaryDirectory()
  writeFileSync(path(directory), 'no contract')
  const contract = new Contract('web', 'users', { directory })
  contract.uponReceiving('one').withRequest('GET', '/').willRespondWith(200)

  const error = await thrown(contract.serve(({ url }) => fetch(url)))

  expect(error).toMatchObject({ name: 'ContractFileError', code: 'ERR_CONTRACT_FILE_UNREADABLE' })
  expect(read(directory)).toBe('no contract')
})

test('rejects the same interaction with different content, with both places', async () => {
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').given('it exists').withRequest('GET', '/').willRespondWith(200)
  contract.uponReceiving('a user').given('another state').withRequest('GET', '/').willRespondWith(404)
  contract.uponReceiving('a user').given('it exists').withRequest('GET', '/').willRespondWith(204)

  const error = await thrown(contract.serve(() => {}))

  expect(error).toBeInstanceOf(ContractArgumentError)
  expect(error).toMatchObject({ code: 'ERR_CONTRACT_DUPLICATE' })
  const place = String.raw`.*files-shared\.test\.ts:\d+:\d+`
  expect((error as Error).message).toMatch(
    new RegExp(
      `^serve: the interaction "a user" given "it exists" is defined twice with different content:\n  first at ${place}\n  then at ${place}\n`,
    ),
  )
})

test('reports two test files of one process that define it differently, with both places', () => {
  const directory = temporaryDirectory()
  for (const [name, status] of [
    ['one', 200],
    ['two', 404],
  ] as const) {
    writeFileSync(
      join(directory, `${name}.js`),
      `module.exports = ({ Contract }) => {
        const contract = new Contract('web', 'users', { directory: ${JSON.stringify(directory)} })
        contract.uponReceiving('a user').withRequest('GET', '/').willRespondWith(${status})
        return contract.serve(({ url }) => fetch(url))
      }`,
    )
  }
  const script = `(async () => {
    const contract = require(${entry})
    await require(args[0] + '/one.js')(contract)
    await require(args[0] + '/two.js')(contract).catch((error) => console.log(error.message))
  })()`

  const output = run(script, directory)

  expect(output).toContain(`first at ${join(directory, 'one.js')}:3:18\n  then at ${join(directory, 'two.js')}:3:18`)
})

test('overwriting replaces the file once in each process', () => {
  const directory = temporaryDirectory()
  const script = `(async () => {
    for (const name of args.slice(1)) {
      const contract = new Contract('web', 'users', { directory: args[0], writeMode: 'overwrite' })
      contract.uponReceiving(name).withRequest('GET', '/').willRespondWith(200)
      await contract.serve(({ url }) => fetch(url))
    }
  })()`

  run(script, directory, 'a', 'b')
  expect(descriptions(directory)).toEqual(['a', 'b'])
  run(script, directory, 'c', 'd')
  expect(descriptions(directory)).toEqual(['c', 'd'])
})
