// The core's log, which is off by default.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { Contract, ContractArgumentError, ContractFileError, contract_ffi, type LogRecord } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/wire.ts'

const entry = JSON.stringify(require.resolve('contract'))
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'CONTRACT_LOG_LEVEL'))

/** One expected and one unexpected request, with a secret. */
const exercise = `
  async function exercise({ Contract }) {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(204)
    const server = await contract.serve({ raises: false })
    for (const path of ['/user', '/nobody?token=geheim']) await fetch(server.url + path)
    await server.stop()
  }`

/** Runs a script in a process and returns its standard error. */
function stderrOf(script: string, env: Record<string, string> = {}): string {
  const code = `${exercise}; const contract = require(${entry}); ${script}`
  const run = spawnSync(process.execPath, ['-e', code], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { ...clean, ...env },
  })
  expect([run.status, run.stdout]).toEqual([0, ''])
  return run.stderr
}

async function use(): Promise<void> {
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(204)
  await contract.serve(({ url }) => fetch(`${url}/user?`))
}

afterEach(() => {
  contract_ffi.setLogger(null)
  contract_ffi.logToStderr('OFF')
})

describe('standard error', () => {
  test('is silent by default', () => {
    expect(stderrOf('exercise(contract)')).toBe('')
  })

  test('logs up to the level of the environment', () => {
    const [warnings, all] = ['WARN', 'debug'].map((CONTRACT_LOG_LEVEL) =>
      stderrOf('exercise(contract)', { CONTRACT_LOG_LEVEL }),
    )

    expect(warnings).toMatch(
      /^WARN {2}contract::mock_server: GET \/nobody\?token=\[redacted\]: unexpected request.* server="http:.*" status=500\n$/,
    )
    expect(all).toContain('INFO  contract::mock_server: listening server="http:')
    expect(all).toContain('DEBUG contract::mock_server: GET /user matched "a user"')
    expect(all).not.toContain('geheim')
  })

  test('logs nothing and warns if the level is invalid', () => {
    const text = stderrOf('exercise(contract)', { CONTRACT_LOG_LEVEL: 'loud' })
    expect(text).toContain(
      'CONTRACT_LOG_LEVEL: "loud" is not a log level; use one of OFF, ERROR, WARN, INFO, DEBUG, TRACE',
    )
    expect(text).not.toContain('mock_server')
  })

  test('uses the level of the last call, which overrides the environment', () => {
    const script = `(async () => {
      contract.contract_ffi.logToStderr('OFF')
      await exercise(contract)
      contract.contract_ffi.logToStderr('Warn')
      await exercise(contract)
    })()`
    expect(stderrOf(script, { CONTRACT_LOG_LEVEL: 'TRACE' }).match(/\n/g)).toHaveLength(1)
  })

  test('rejects unknown levels', () => {
    expect(() => contract_ffi.logToStderr('LOUD')).toThrow(ContractArgumentError)
  })
})

describe('a file', () => {
  test('receives the log until it is turned off', async () => {
    const path = join(temporaryDirectory(), 'contract.log')
    contract_ffi.logToFile(path, 'DEBUG')
    await use()
    contract_ffi.logToFile(path, 'INFO')
    await use()
    contract_ffi.logToFile(path, 'OFF')
    await use()

    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    expect(lines.filter((line) => line.includes('listening'))).toHaveLength(2)
    expect(lines.filter((line) => line.includes('matched "a user"'))).toHaveLength(1)
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO |DEBUG) contract::/)
  })

  test('that cannot be opened throws', () => {
    const path = join(temporaryDirectory(), 'missing', 'contract.log')
    expect(() => contract_ffi.logToFile(path)).toThrow(ContractFileError)
    expect(() => contract_ffi.logToFile(path)).toThrow(`could not open the log ${path}`)
    expect(existsSync(path)).toBe(false)
  })
})

describe('a logger', () => {
  test('receives records, and can be replaced', async () => {
    const [first, second]: [LogRecord[], LogRecord[]] = [[], []]
    contract_ffi.setLogger((record) => first.push(record), 'DEBUG')
    await use()
    await until(() => first.some(({ message }) => message.startsWith('stopped')))
    contract_ffi.setLogger((record) => second.push(record))
    const seen = first.length
    await use()
    await until(() => second.some(({ message }) => message.startsWith('stopped')))

    expect(first).toHaveLength(seen)
    expect(first.map(({ level }) => level)).toContain('DEBUG')
    expect(second.map(({ level }) => level)).not.toContain('DEBUG')
    expect(first[0]).toMatchObject({ level: 'INFO', target: 'contract::mock_server' })
    expect(first[0]?.message).toMatch(/^listening server="http:/)
    expect(Math.abs(Number(first[0]?.time) - Date.now())).toBeLessThan(60_000)
  })

  test('that throws causes a warning and is not called again', async () => {
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    let calls = 0
    contract_ffi.setLogger(() => {
      calls += 1
      throw new Error('own')
    })
    try {
      await use()
      await until(() => warnings.mock.calls.length > 0)
      await use()
      expect(calls).toBe(1)
      expect(warnings.mock.calls).toEqual([
        ['The logger passed to contract_ffi.setLogger threw and is not called again: Error: own'],
      ])
    } finally {
      warnings.mockRestore()
    }
  })

  test('ends with its thread, and other loggers continue', async () => {
    const code = `
      const { parentPort } = require('node:worker_threads')
      const { contract_ffi } = require(${entry})
      contract_ffi.setLogger((record) => parentPort.postMessage(record.message), 'INFO')
      parentPort.on('message', () => {})
      parentPort.postMessage('ready')`
    const records: LogRecord[] = []
    contract_ffi.setLogger((record) => records.push(record))
    const worker = new Worker(code, { eval: true })
    const messages: string[] = []
    worker.on('message', (message: string) => messages.push(message))
    await once(worker, 'message')
    await use()
    await until(() => messages.some((message) => message.startsWith('stopped')))
    await worker.terminate()
    const [mine, others] = [records.length, messages.length]

    await use()

    await until(() => records.length > mine)
    expect(messages).toHaveLength(others)
  })

  test('does not keep the process alive', () => {
    expect(stderrOf(`contract.contract_ffi.setLogger(() => {}, 'TRACE'); exercise(contract)`)).toBe('')
  })
})

test('the version equals that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'))
  expect(contract_ffi.version).toBe(version)
})
