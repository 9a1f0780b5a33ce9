// One consumer test: define, start, request, verify, stop, write.
import { orderInteraction } from './data.mjs'
import { now, request } from './proc.mjs'
import { example } from './template.mjs'

export async function oneTest(pair, interaction, client = 'fetch') {
  const t0 = now()
  let t1
  let t2
  await pair.serve([interaction], async ({ url }) => {
    t1 = now()
    const r = await request(client, url + interaction.request.path, {
      method: interaction.request.method,
      body: interaction.request.body === undefined ? undefined : JSON.stringify(example(interaction.request.body)),
    })
    t2 = now()
    if (r.status !== interaction.response.status) throw new Error(`the mock server returned status ${r.status}`)
  })
  const t3 = now()
  return { total: t3 - t0, setup: t1 - t0, request: t2 - t1, finish: t3 - t2 }
}

export async function warmUp(ctx, driver, n = 5, client = 'fetch') {
  const pair = driver.consumer({ consumer: 'warm', provider: 'up', dir: ctx.tmp.sub('warm') })
  for (let i = 1; i <= n; i += 1) await oneTest(pair, orderInteraction(i), client)
}
