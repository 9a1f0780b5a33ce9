import { warmUp } from '../lib/cycle.mjs'
import { elements, elementTemplate } from '../lib/data.mjs'
import { now, request } from '../lib/proc.mjs'
import { t } from '../lib/template.mjs'

export default {
  id: 'mismatch-consumer',
  title: 'Consumer test that fails: POST of n elements, 2 wrong fields in each',
  metrics: {
    requestMs: { label: 'request sent to response received', unit: 'ms' },
    reportMs: { label: 'end of the test to the error', unit: 'ms' },
    answerKb: { label: 'response of the mock server', unit: 'KiB' },
    reportKb: { label: 'length of the error', unit: 'KiB' },
  },
  headline: 'reportMs',
  cases: [10, 100, 1000, 10_000].map((n) => ({
    name: `${n} wrong elements`,
    series: 'wrong elements',
    size: n,
    params: { n },
    ...(n > 100 ? { quick: null } : {}),
  })),
  timeoutMs: 120_000,
  async run(ctx, { n }) {
    const driver = await ctx.load()
    await warmUp(ctx, driver, 3)
    const pair = driver.consumer({ consumer: 'web', provider: 'shop', dir: ctx.tmp.sub('contracts') })
    const body = JSON.stringify({ items: elements(n).map((e) => ({ ...e, id: 'wrong', active: 'wrong' })) })
    const m = {}
    let t1
    let report
    try {
      await pair.serve(
        [
          {
            description: 'a wrong request',
            request: {
              method: 'POST',
              path: '/big',
              headers: { 'Content-Type': 'application/json' },
              body: { items: t.eachLike(elementTemplate()) },
            },
            response: { status: 200 },
          },
        ],
        async ({ url }) => {
          const a = now()
          const r = await request('fetch', `${url}/big`, { method: 'POST', body })
          m.requestMs = now() - a
          m.answerKb = r.bytes / 1024
          ctx.progress(m)
          t1 = now()
        },
      )
    } catch (e) {
      report = String(e?.message ?? e)
    }
    if (report === undefined) throw new Error('the test passed but every element was wrong')
    m.reportMs = now() - t1
    m.reportKb = report.length / 1024
    return { metrics: m, notes: { reportStart: report.slice(0, 400) } }
  },
}
