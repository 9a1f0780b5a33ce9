import { spawnSync } from 'node:child_process'
import { pathTo } from '../lib/proc.mjs'
import { median } from '../lib/stats.mjs'

const time = (args, opts) => {
  const t0 = performance.now()
  const r = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, ...opts })
  const ms = performance.now() - t0
  if (r.status !== 0) throw new Error(`exit ${r.status} ${r.signal ?? ''}: ${(r.stderr || '').slice(-600)}`)
  return { ms, out: r.stdout }
}
const RSS = 'process.stdout.write("\\nRSS " + process.resourceUsage().maxRSS)'
const rss = (out) => Number(/RSS (\d+)/.exec(out)[1]) / 1024

export default {
  id: 'import',
  title: 'Import time and first test (whole processes)',
  loadsProduct: false,
  metrics: {
    importMs: { label: 'node -e import(pkg)', unit: 'ms' },
    bareMs: { label: 'node -e 0', unit: 'ms' },
    costMs: { label: 'cost of the import', unit: 'ms' },
    importRssMb: { label: 'peak RSS after import', unit: 'MiB' },
    bareRssMb: { label: 'peak RSS of bare node', unit: 'MiB' },
    oneTestMs: { label: 'process with one HTTP test', unit: 'ms' },
  },
  headline: 'costMs',
  cases: [{ name: '15 process starts each', params: { starts: 15 }, quick: { starts: 3 } }],
  timeoutMs: 180_000,
  async run(ctx, { starts }) {
    const pkg = JSON.stringify(ctx.packageName)
    const opts = { cwd: ctx.dir }
    const bare = []
    const imp = []
    const oneTest = []
    let importRssMb = 0
    let bareRssMb = 0
    const oneArgs = [pathTo('./one-test.mjs'), ctx.product, ctx.dir, ctx.tmp.sub('one')]
    for (let i = -2; i < starts; i += 1) {
      const a = time(['-e', '0'], opts)
      const b = time(['-e', `import(${pkg})`], opts)
      const c = time(oneArgs, opts)
      if (i < 0) continue // warm-up: the file cache
      bare.push(a.ms)
      imp.push(b.ms)
      oneTest.push(c.ms)
    }
    bareRssMb = rss(time(['-e', RSS], opts).out)
    importRssMb = rss(time(['-e', `import(${pkg}).then(() => { ${RSS} })`], opts).out)
    return {
      metrics: {
        importMs: median(imp),
        bareMs: median(bare),
        costMs: median(imp) - median(bare),
        importRssMb,
        bareRssMb,
        oneTestMs: median(oneTest),
      },
    }
  },
}
