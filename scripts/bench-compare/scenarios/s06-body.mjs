import { warmUp } from '../lib/cycle.mjs'
import { bodyOfSize, elements, elementTemplate } from '../lib/data.mjs'
import { now, procStat, request } from '../lib/proc.mjs'
import { median } from '../lib/stats.mjs'
import { t } from '../lib/template.mjs'

const KB = 1024
const sizes = [
  [10 * KB, '10 KiB'],
  [100 * KB, '100 KiB'],
  [1024 * KB, '1 MiB'],
  [10240 * KB, '10 MiB'],
]
const leaf = (e) => ({
  id: t.integer(e.id),
  name: t.string(e.name),
  price: t.decimal(e.price),
  active: t.boolean(e.active),
  tag: t.string(e.tag),
})

/** The expected body and the sent body of a mode. */
function plan(mode, bytes, n) {
  const body = n ? { items: elements(n) } : bodyOfSize(bytes)
  const post = (tpl) => ({ method: 'POST', path: '/big', headers: { 'Content-Type': 'application/json' }, body: tpl })
  const ok = { status: 200, headers: { 'Content-Type': 'application/json' }, body: { ok: true } }
  switch (mode) {
    case 'eachLike':
      return {
        body,
        interaction: { description: 'big', request: post({ items: t.eachLike(elementTemplate()) }), response: ok },
      }
    case 'like':
      return { body, interaction: { description: 'big', request: post(t.like(body)), response: ok } }
    case 'leaf':
      return { body, interaction: { description: 'big', request: post({ items: body.items.map(leaf) }), response: ok } }
    case 'response':
      return {
        interaction: {
          description: 'big',
          request: { method: 'GET', path: '/big' },
          response: { ...ok, body: t.like(body) },
        },
      }
    default:
      throw new Error(mode)
  }
}

const metrics = {
  roundTripMs: { label: 'request sent to response received', unit: 'ms' },
  setupMs: { label: 'define + start', unit: 'ms' },
  finishMs: { label: 'verify + stop + write', unit: 'ms' },
  bodyKb: { label: 'body', unit: 'KiB' },
}

async function run(ctx, { mode, bytes, n }) {
  const driver = await ctx.load()
  await warmUp(ctx, driver, 3)
  const { body, interaction } = plan(mode, bytes, n)
  const text = body && JSON.stringify(body)
  const pair = driver.consumer({ consumer: 'web', provider: 'shop', dir: ctx.tmp.sub('contracts') })
  const m = { bodyKb: text ? text.length / KB : 0 }
  const times = []
  let status
  const notes = {}
  let t1
  const t0 = now()
  try {
    await pair.serve([interaction], async ({ url }) => {
      m.setupMs = now() - t0
      ctx.progress(m)
      const begin = now()
      // At most 10 requests and about 5 s; the first one is warm-up when there are more.
      for (let i = 0; i < 10 && (i === 0 || now() - begin < 5000); i += 1) {
        const a = now()
        const r = await request('fetch', `${url}/big`, { method: interaction.request.method, body: text })
        times.push(now() - a)
        status = r.status
        if (!text) m.bodyKb = r.bytes / KB
        if (status !== 200) break
        ctx.progress({ ...m, roundTripMs: median(times) })
      }
      m.roundTripMs = median(times.length > 1 ? times.slice(1) : times)
      notes.roundTrips = times.map((x) => Number(x.toFixed(1)))
      notes.status = status
      t1 = now()
    })
  } catch (e) {
    if (t1 === undefined) throw e
    notes.error = String(e.message).slice(0, 600)
  }
  m.finishMs = now() - t1
  if (status !== 200)
    return {
      metrics: m,
      notes,
      error: `the mock server returned status ${status}${notes.error ? `: ${notes.error}` : ''}`,
    }
  notes.rssMb = Math.round(procStat().rssMb)
  return { metrics: m, notes }
}

const title = {
  eachLike: 'POST of a large body matched by eachLike of 5 type matchers',
  like: 'POST of a large body whose whole example is in the contract, under one type matcher',
  leaf: 'POST of a large body whose whole example is in the contract, a type matcher on each leaf',
  response: 'GET with a large response body, under one type matcher',
}

const bodyScenario = {
  id: 'body',
  title: 'Large bodies through the mock server',
  metrics,
  headline: 'roundTripMs',
  cases: Object.keys(title).flatMap((mode) =>
    sizes
      .filter(([bytes]) => mode !== 'leaf' || bytes <= 1024 * KB)
      .map(([bytes, label]) => ({
        name: `${title[mode]}, ${label}`,
        series: mode,
        size: bytes,
        params: { mode, bytes },
        ...(bytes > 100 * KB ? { quick: null } : {}),
      })),
  ),
  timeoutMs: 90_000,
  run,
}

const arrayScenario = {
  id: 'arrays',
  title: 'Large arrays: POST of n elements (5 fields each) matched by eachLike',
  metrics,
  headline: 'roundTripMs',
  cases: [100, 1000, 10_000, 100_000].map((n) => ({
    name: `${n} elements`,
    series: 'eachLike',
    size: n,
    params: { mode: 'eachLike', n },
    ...(n > 1000 ? { quick: null } : {}),
  })),
  timeoutMs: 90_000,
  run,
}

export default [bodyScenario, arrayScenario]
