import path from 'node:path'
import { writeContractFile } from '../lib/contract-file.mjs'
import { elementTemplate, itemInteraction } from '../lib/data.mjs'
import { now, startProvider, withLoopBlock } from '../lib/proc.mjs'
import { t } from '../lib/template.mjs'

const make = (ctx, name, interactions) => {
  const file = path.join(ctx.tmp.sub('in'), `${name}.json`)
  const bytes = writeContractFile(file, { consumer: 'web', provider: 'shop', interactions })
  return { file, bytes }
}

async function verifyOnce(driver, options) {
  const t0 = now()
  let report = ''
  let ok = true
  try {
    await driver.verify(options)
  } catch (e) {
    ok = false
    report = String(e?.message ?? e)
  }
  return { ok, ms: now() - t0, report }
}

async function run(ctx, { n, states = false, wrong = false, elements = 0 }) {
  const driver = await ctx.load()
  let calls = 0
  const stateHandlers = {
    'an item exists': async () => {
      calls += 1
    },
  }
  const warm = make(ctx, 'warm', [itemInteraction(1)])
  const list = elements
    ? [
        {
          description: 'a big answer',
          request: { method: 'GET', path: '/big' },
          response: {
            status: 200,
            headers: { 'Content-Type': 'application/json' },
            body: { items: t.eachLike(elementTemplate()) },
          },
        },
      ]
    : Array.from({ length: n }, (_, i) => itemInteraction(i + 1, { state: states }))
  const { file } = make(ctx, 'contract', list)
  const good = await startProvider({ elements })
  const provider = wrong ? await startProvider({ wrong: true }) : good
  try {
    const w = await verifyOnce(driver, { provider: 'shop', url: good.url, file: warm.file })
    if (!w.ok) throw new Error(`warm-up verification failed: ${w.report.slice(0, 500)}`)
    const { value: r, blockMs } = await withLoopBlock(() =>
      verifyOnce(driver, { provider: 'shop', url: provider.url, file, ...(states ? { stateHandlers } : {}) }),
    )
    if (r.ok === wrong)
      throw new Error(`verification ${r.ok ? 'passed' : 'failed'} but should not have: ${r.report.slice(0, 500)}`)
    if (states && calls < n) throw new Error(`state handler called ${calls} times for ${n} interactions`)
    return {
      metrics: {
        totalMs: r.ms,
        perMs: r.ms / list.length,
        blockMs,
        ...(wrong ? { reportKb: r.report.length / 1024 } : {}),
      },
      notes: { stateHandlerCalls: calls },
    }
  } finally {
    await provider.stop()
    if (provider !== good) await good.stop()
  }
}

const metrics = {
  totalMs: { label: 'whole verification', unit: 'ms' },
  perMs: { label: 'per interaction', unit: 'ms' },
  blockMs: { label: 'longest block of the event loop', unit: 'ms' },
  reportKb: { label: 'length of the error', unit: 'KiB' },
}
const sizes = [10, 100, 1000]

export default [
  {
    id: 'verify',
    title: 'Provider verification of one contract file (GET, response with 10 matchers)',
    metrics,
    headline: 'totalMs',
    cases: [
      ...sizes.map((n) => ({
        name: `${n} interactions, no provider state`,
        series: 'no state',
        size: n,
        params: { n },
        ...(n > 100 ? { reps: 2, quick: null } : {}),
      })),
      ...sizes.map((n) => ({
        name: `${n} interactions, in-process state handler`,
        series: 'state handler',
        size: n,
        params: { n, states: true },
        ...(n > 100 ? { reps: 2, quick: null } : {}),
      })),
      ...[1000, 10_000, 100_000].map((elements) => ({
        name: `1 interaction, answer with an array of ${elements} elements, eachLike`,
        series: 'array',
        size: elements,
        params: { n: 1, elements },
        ...(elements > 1000 ? { quick: null } : {}),
      })),
    ],
    timeoutMs: 180_000,
    run,
  },
  {
    id: 'mismatch-verify',
    title: 'Provider verification in which every interaction fails (3 wrong fields each)',
    metrics,
    headline: 'totalMs',
    cases: [10, 100, 1000].map((n) => ({
      name: `${n} failing interactions`,
      series: 'failing',
      size: n,
      params: { n, wrong: true },
      ...(n > 100 ? { reps: 2, quick: null } : {}),
    })),
    timeoutMs: 180_000,
    run,
  },
]
