// One process with one HTTP test: the cost of one test file in a runner with a process per file.
import { orderInteraction } from './data.mjs'
import { request } from './proc.mjs'
import { example } from './template.mjs'

const [product, dir, out] = process.argv.slice(2)
const adapter = await import(process.env.BENCH_ADAPTER_URL ?? `../adapters/${product}.mjs`)
const driver = await adapter.load({ dir, log: 'quiet' })
const i = orderInteraction(1)
await driver.consumer({ consumer: 'one', provider: 'test', dir: out }).serve([i], async ({ url }) => {
  const r = await request('http-close', url + i.request.path, {
    method: 'POST',
    body: JSON.stringify(example(i.request.body)),
  })
  if (r.status !== 200) throw new Error(`status ${r.status}`)
})
