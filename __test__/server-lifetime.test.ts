// Servers that are never stopped do not keep the process alive.
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { Contract } from 'contract'
import { thrown } from './support/thrown.ts'

const entry = JSON.stringify(require.resolve('contract'))
const define = `
  const { Contract, contract_ffi } = require(${entry})
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(204)`

function run(script: string, ...flags: string[]): string {
  return execFileSync(process.execPath, [...flags, '-e', `${define}; ${script}`], { encoding: 'utf8', timeout: 30_000 })
}

test('a process with a server that was never stopped ends by itself', () => {
  expect(run(`contract.serve().then(({ url }) => console.log(url))`)).toMatch(/^http:/)
})

test('a garbage collected server is stopped and logged, and its interactions can be served again', () => {
  const script = `(async () => {
    const messages = []
    contract_ffi.setLogger(({ level, message }) => messages.push(level + ' ' + message), 'WARN')
    let url = (await contract.serve()).url
    for (let i = 0; i < 1000; i += 1) {
      global.gc()
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (await fetch(url).then(() => false, () => true)) break
    }
    const status = await contract.serve({ all: true }, async ({ url }) => (await fetch(url + '/user')).status)
    console.log(JSON.stringify([status, messages.filter((line) => line.includes('collected'))]))
  })()`

  const [status, messages] = JSON.parse(run(script, '--expose-gc'))

  expect(status).toBe(204)
  expect(messages).toEqual([
    expect.stringMatching(/^WARN garbage-collected without being stopped: mismatches were not reported/),
  ])
})

test('a process whose test never resolves ends with an error about it', () => {
  const script = `
    contract.serve({ timeout: 100 }, () => new Promise(() => {})).catch((error) => console.log(error.code))`
  expect(run(script)).toBe('ERR_CONTRACT_TIMEOUT\n')
})

test('a server is stopped, whatever is thrown in its scope', async () => {
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(204).optional()
  let url = ''
  const error = await thrown(
    (async () => {
      await using server = await contract.serve()
      url = server.url
      throw new RangeError('own')
    })(),
  )
  expect(error).toBeInstanceOf(RangeError)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})
