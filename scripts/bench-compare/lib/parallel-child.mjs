// One of several test processes that write to the same contract file.
import { oneTest } from './cycle.mjs'
import { orderInteraction } from './data.mjs'

const [product, dir, out, worker, tests] = process.argv.slice(2)
const adapter = await import(process.env.BENCH_ADAPTER_URL ?? `../adapters/${product}.mjs`)
const driver = await adapter.load({ dir, log: 'quiet' })
const pair = driver.consumer({ consumer: 'web', provider: 'shop', dir: out })
let passed = 0
try {
  for (let i = 1; i <= Number(tests); i += 1) {
    await oneTest(pair, orderInteraction(Number(worker) * 100_000 + i), 'http-close')
    passed += 1
  }
} catch (e) {
  console.error(`FAILED ${String(e?.message ?? e).slice(0, 400)}`)
  process.exitCode = 1
}
console.log(`\nPASSED ${passed}`)
