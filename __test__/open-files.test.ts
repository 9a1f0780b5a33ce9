// The first calls of a process that can open hardly any files: the runtime of the library needs six.
import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { project } from './support/project.ts'

const script = `
const { closeSync, openSync } = require('node:fs')
const { Contract, messageEndpoint, Verifier } = require(${JSON.stringify(require.resolve('contract'))})
const [free, call] = process.argv.slice(2)
const contract = new Contract('web', 'orders')
contract.uponReceiving('x').withRequest('GET', '/').willRespondWith(200)
const [consumer, provider] = [{ name: 'web' }, { name: 'orders' }]
const interactions = [{ description: 'x', request: { path: '/' }, response: { status: 200 } }]
const verifier = new Verifier('orders')
  .addSource({ json: { consumer, provider, interactions } })
  .addTransport('http://127.0.0.1:9')
const open = []
try {
  for (;;) open.push(openSync('/dev/null'))
} catch {}
open.splice(0, Number(free)).forEach(closeSync)
const calls = {
  serve: () => contract.serve(() => {}),
  verify: () => verifier.verify(),
  messageEndpoint: () => messageEndpoint({}),
}
const run = calls[call]
Promise.resolve().then(run).catch((error) => {
  open.forEach(closeSync)
  console.log(error.constructor.name, error.message)
})
`

const unixTest = process.platform === 'win32' ? test.skip : test

unixTest.each([
  ...['serve', 'verify'].flatMap((call) => [0, 2, 3, 4, 5].map((free) => [call, free] as const)),
  // This loads a file.
  ['messageEndpoint', 0] as const,
])('%s with %i free file handles', (call, free) => {
  const { folder } = project({ 'few.js': script })
  const shell = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, 'few.js', String(free), call]

  const run = spawnSync('sh', shell, { cwd: folder, encoding: 'utf8' })

  expect(run.stdout).toMatch(/^ContractError could not open files or sockets: .*\[ERR_CONTRACT_OPEN_FILES\]/)
  expect(run.stderr).not.toContain('panicked')
})
