// Runs in an empty project with an unsupported Node, or with the packages of another platform: `rejected.mjs MESSAGE`. The import must
// fail with one message that names the platform, the package, and the fix.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

const [, , fix] = process.argv
const error = await import('contract').then(
  () => assert.fail('the import succeeded'),
  (reason) => reason,
)
assert.equal(error.code, 'ERR_CONTRACT_NATIVE_LOAD')
const system = `System: ${process.platform} ${process.arch}`
for (const part of [system, process.version, 'Package expected: @contract-testing/core-', fix])
  assert.ok(error.message.includes(part), `${part} is not in: ${error.message}`)

const { status, stderr } = spawnSync(process.execPath, ['node_modules/contract/bin/contract.js', '--version'], {
  encoding: 'utf8',
})
assert.equal(status, 1)
assert.equal(stderr, `${error.message}\n`)
console.log(`ok ${error.message.split('\n').at(-2)}`)
