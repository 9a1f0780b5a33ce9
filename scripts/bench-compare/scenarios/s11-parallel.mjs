import { spawn } from 'node:child_process'
import path from 'node:path'
import { readContractFile } from '../lib/contract-file.mjs'
import { warmUp } from '../lib/cycle.mjs'
import { itemInteraction } from '../lib/data.mjs'
import { now, pathTo, procStat, request } from '../lib/proc.mjs'

const parallel = {
  id: 'parallel',
  title: 'Test runner with several worker processes, all on one consumer/provider pair and one file',
  metrics: {
    totalMs: { label: 'all processes', unit: 'ms' },
    passed: { label: 'tests that passed', unit: '' },
    lost: { label: 'interactions of passed tests that are not in the file', unit: '' },
    failed: { label: 'processes that failed', unit: '' },
  },
  headline: 'totalMs',
  alsoHeadline: ['lost'],
  cases: [{ name: '4 processes, 50 tests each', params: { workers: 4, tests: 50 }, quick: { tests: 10 } }],
  timeoutMs: 180_000,
  async run(ctx, { workers, tests }) {
    const driver = await ctx.load()
    const dir = ctx.tmp.sub('contracts')
    const t0 = now()
    const ends = await Promise.all(
      Array.from(
        { length: workers },
        (_, w) =>
          new Promise((resolve) => {
            const c = spawn(
              process.execPath,
              [pathTo('./parallel-child.mjs'), ctx.product, ctx.dir, dir, String(w), String(tests)],
              { stdio: ['ignore', 'pipe', 'pipe'] },
            )
            let err = ''
            let out = ''
            c.stdout.on('data', (d) => {
              out = (out + d).slice(-2000)
            })
            c.stderr.on('data', (d) => {
              err = (err + d).slice(-800)
            })
            c.on('close', (code, signal) =>
              resolve({
                code,
                signal,
                err: err || out.slice(-600),
                passed: Number(/PASSED (\d+)/.exec(out)?.[1] ?? 0),
              }),
            )
          }),
      ),
    )
    const totalMs = now() - t0
    const bad = ends.filter((e) => e.code !== 0)
    let written = 0
    const notes = {}
    try {
      written = readContractFile(path.join(dir, driver.fileName('web', 'shop'))).interactions
    } catch (e) {
      notes.file = String(e.message).slice(0, 200)
    }
    if (bad.length) notes.failures = bad.map((b) => `${b.code ?? b.signal}: ${b.err.slice(-600)}`)
    const passed = ends.reduce((a, e) => a + e.passed, 0)
    return { metrics: { totalMs, passed, lost: passed - written, failed: bad.length }, notes }
  },
}

const servers = {
  id: 'servers',
  title: 'Many mock servers at once in one process (one request to each)',
  metrics: {
    totalMs: { label: 'all of them', unit: 'ms' },
    threads: { label: 'threads while all are up', unit: '' },
    fds: { label: 'open files while all are up', unit: '' },
    rssGrowthMb: { label: 'RSS growth', unit: 'MiB' },
  },
  headline: 'totalMs',
  cases: [
    { name: '10 servers', params: { n: 10 } },
    { name: '100 servers', params: { n: 100 }, quick: null },
  ],
  timeoutMs: 120_000,
  async run(ctx, { n }) {
    const driver = await ctx.load()
    await warmUp(ctx, driver, 3)
    const dir = ctx.tmp.sub('contracts')
    const before = procStat()
    let up = 0
    let open
    const allUp = new Promise((r) => {
      open = r
    })
    let peak
    const t0 = now()
    await Promise.all(
      Array.from({ length: n }, (_, i) =>
        driver.consumer({ consumer: `web${i}`, provider: 'shop', dir }).serve([itemInteraction(1)], async ({ url }) => {
          up += 1
          if (up === n) {
            peak = procStat()
            open()
          }
          await allUp
          const r = await request('http-close', `${url}/items/1`)
          if (r.status !== 200) throw new Error(`status ${r.status}`)
        }),
      ),
    )
    return {
      metrics: {
        totalMs: now() - t0,
        threads: peak.threads,
        fds: peak.fds,
        rssGrowthMb: procStat().rssMb - before.rssMb,
      },
    }
  },
}

export default [parallel, servers]
