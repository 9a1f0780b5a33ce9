import path from 'node:path'
import { readContractFile } from '../lib/contract-file.mjs'
import { oneTest, warmUp } from '../lib/cycle.mjs'
import { orderInteraction } from '../lib/data.mjs'
import { now, procStat } from '../lib/proc.mjs'
import { median } from '../lib/stats.mjs'

export default {
  id: 'cycle',
  title:
    'Consumer test cycle, one consumer/provider pair (10 matchers in the request body and 10 in the response body)',
  metrics: {
    lastMs: { label: 'per test, last 20', unit: 'ms' },
    firstMs: { label: 'per test, first 20', unit: 'ms' },
    growth: { label: 'last 20 / first 20', unit: '×' },
    totalMs: { label: 'all tests', unit: 'ms' },
    setupMs: { label: 'define + start, last 20', unit: 'ms' },
    requestMs: { label: 'request, last 20', unit: 'ms' },
    finishMs: { label: 'verify + stop + write, last 20', unit: 'ms' },
    rssGrowthMb: { label: 'RSS growth over the run', unit: 'MiB' },
    threads: { label: 'threads at the end', unit: '' },
    fds: { label: 'open files at the end', unit: '' },
    written: { label: 'interactions in the file', unit: '' },
    fileKb: { label: 'file size', unit: 'KiB' },
  },
  headline: 'lastMs',
  cases: [
    { name: '200 tests, fetch', params: { tests: 200, client: 'fetch' }, quick: { tests: 40 } },
    { name: '200 tests, node:http no keep-alive', reps: 2, params: { tests: 200, client: 'http-close' }, quick: null },
    { name: '200 tests, node:http keep-alive', reps: 2, params: { tests: 200, client: 'http-keepalive' }, quick: null },
    {
      name: '200 tests, fetch, product default log level',
      reps: 2,
      params: { tests: 200, client: 'fetch', log: 'default' },
      quick: null,
    },
    {
      name: '200 tests, each its own consumer name',
      params: { tests: 200, client: 'fetch', ownPair: true },
      quick: null,
    },
    { name: '1000 tests, fetch', reps: 1, params: { tests: 1000, client: 'fetch' }, quick: null },
  ],
  timeoutMs: 900_000,
  async run(ctx, { tests, client, ownPair }) {
    const driver = await ctx.load()
    await warmUp(ctx, driver, 5, client)
    const dir = ctx.tmp.sub('contracts')
    const pairOf = (consumer) => driver.consumer({ consumer, provider: 'shop', dir })
    const shared = pairOf('web')
    const before = procStat()
    const t0 = now()
    const times = []
    for (let i = 1; i <= tests; i += 1) {
      times.push(await oneTest(ownPair ? pairOf(`web${i}`) : shared, orderInteraction(i), client))
      if (i % 100 === 0)
        ctx.progress(
          {
            firstMs: median(times.slice(0, 20).map((x) => x.total)),
            lastMs: median(times.slice(-20).map((x) => x.total)),
          },
          { testsDone: i },
        )
    }
    const totalMs = now() - t0
    const after = procStat()
    const file = readContractFile(path.join(dir, driver.fileName(ownPair ? `web${tests}` : 'web', 'shop')))
    const medianOf = (k, list) => median(list.map((x) => x[k]))
    const first = times.slice(0, 20)
    const last = times.slice(-20)
    const per100 = []
    for (let i = 0; i < tests; i += 100) per100.push(medianOf('total', times.slice(i, i + 100)))
    return {
      metrics: {
        firstMs: medianOf('total', first),
        lastMs: medianOf('total', last),
        growth: medianOf('total', last) / medianOf('total', first),
        totalMs,
        setupMs: medianOf('setup', last),
        requestMs: medianOf('request', last),
        finishMs: medianOf('finish', last),
        rssGrowthMb: after.rssMb - before.rssMb,
        threads: after.threads,
        fds: after.fds,
        written: file.interactions,
        fileKb: file.bytes / 1024,
      },
      notes: {
        medianMsPer100Tests: per100.map((x) => Number(x.toFixed(2))),
        first20: {
          setup: medianOf('setup', first),
          request: medianOf('request', first),
          finish: medianOf('finish', first),
        },
      },
      ...(file.interactions !== (ownPair ? 1 : tests)
        ? { error: `the file has ${file.interactions} interactions` }
        : {}),
    }
  },
}
