import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { itemInteraction, orderInteraction } from '../lib/data.mjs'
import { now, pathTo, procStat, request } from '../lib/proc.mjs'
import { median } from '../lib/stats.mjs'
import { example } from '../lib/template.mjs'

const wrk = (url, seconds, args) =>
  new Promise((resolve, reject) => {
    const c = spawn(
      'wrk',
      ['-t1', '-c16', `-d${seconds}s`, '--timeout', '30s', '-s', pathTo('./rotate.lua'), url, '--', ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    c.stdout.on('data', (d) => {
      out += d
    })
    c.stderr.on('data', (d) => {
      out += d
    })
    c.on('error', reject)
    c.on('close', () => {
      const m = /RESULT (\{.*\})/.exec(out)
      if (m) resolve(JSON.parse(m[1]))
      else reject(new Error(`wrk: ${out.slice(-400)}`))
    })
  })

export default {
  id: 'throughput',
  title: 'Mock server throughput (wrk, 1 thread, 16 keep-alive connections, 5 s)',
  metrics: {
    oneMs: { label: 'one request at a time', unit: 'ms' },
    rps: { label: 'requests/s', unit: '/s', better: 'higher' },
    p50Ms: { label: 'p50', unit: 'ms' },
    p99Ms: { label: 'p99', unit: 'ms' },
    setupMs: { label: 'define + start', unit: 'ms' },
    finishMs: { label: 'verify + stop + write after the load', unit: 'ms' },
    rssGrowthMb: { label: 'RSS growth during the load', unit: 'MiB' },
    bytesPerRequest: { label: 'RSS growth per request', unit: 'B' },
    errors: { label: 'non-2xx and socket errors', unit: '' },
  },
  headline: 'rps',
  alsoHeadline: ['oneMs'],
  cases: [
    ...[1, 10, 50, 100, 500].map((n) => ({
      name: `${n} interaction${n > 1 ? 's' : ''}, GET`,
      series: 'interactions in the mock server',
      size: n,
      params: { n, seconds: 5 },
      quick: n > 50 ? null : { seconds: 1 },
    })),
    {
      name: '1 interaction, POST body with 10 matchers',
      params: { n: 1, seconds: 5, post: true },
      quick: { seconds: 1 },
    },
  ],
  timeoutMs: 120_000,
  async run(ctx, { n, seconds, post }) {
    if (spawnSync('wrk', ['-v']).error) return { skipped: 'wrk is not on PATH (Debian: apt-get install wrk)' }
    const driver = await ctx.load()
    const make = post ? orderInteraction : itemInteraction
    const list = Array.from({ length: n }, (_, i) => make(i + 1))
    const args = [String(n), post ? '/orders/' : '/items/']
    if (post) {
      const f = path.join(ctx.tmp.sub('wrk'), 'body.json')
      fs.writeFileSync(f, JSON.stringify(example(list[0].request.body)))
      args.push(f)
    }
    const pair = driver.consumer({ consumer: 'web', provider: 'shop', dir: ctx.tmp.sub('contracts') })
    const m = {}
    const notes = {}
    const t0 = now()
    let t1
    try {
      await pair.serve(list, async ({ url }) => {
        m.setupMs = now() - t0
        // Requests each interaction once (for at most 10 s), so that the verification passes however slow the server
        // is. The time of these sequential requests is measured separately.
        const sequential = []
        const begin = now()
        for (let k = 0; k < Math.max(n, 50) && now() - begin < 10_000; k += 1) {
          const i = list[k % n]
          const a = now()
          const r = await request('http-keepalive', url + i.request.path, {
            method: i.request.method,
            body: i.request.body && JSON.stringify(example(i.request.body)),
          })
          if (r.status !== 200) throw new Error(`status ${r.status} for ${i.request.path}`)
          sequential.push(now() - a)
        }
        m.oneMs = median(sequential.length > 5 ? sequential.slice(5) : sequential)
        notes.sequentialRequests = sequential.length
        ctx.progress(m, notes)
        await wrk(url, 1, args) // warm-up
        const before = procStat()
        const r = await wrk(url, seconds, args)
        m.rssGrowthMb = procStat().rssMb - before.rssMb
        if (r.requests > 200) m.bytesPerRequest = (m.rssGrowthMb * 1048576) / r.requests
        m.rps = r.requests / (r.us / 1e6)
        if (r.requests) Object.assign(m, { p50Ms: r.p50us / 1000, p99Ms: r.p99us / 1000 })
        m.errors = r.non2xx + r.socket
        notes.requests = r.requests
        ctx.progress(m, notes)
        t1 = now()
      })
    } catch (e) {
      if (t1 === undefined) throw e
      notes.afterLoad = String(e.message).slice(0, 500)
    }
    m.finishMs = now() - t1
    return { metrics: m, notes }
  },
}
