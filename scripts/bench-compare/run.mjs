#!/usr/bin/env node
import { spawn, spawnSync } from 'node:child_process'
// Runs the scenarios for each available product, interleaved, and prints a table.
// See README.md.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { recordComparison } from '../lib/performance.mjs'
import { pathTo } from './lib/proc.mjs'
import { markdown } from './lib/report.mjs'
import { scenarios } from './scenarios/index.mjs'

const { values: opt } = parseArgs({
  options: {
    dir: { type: 'string', multiple: true, default: [] },
    adapter: { type: 'string', multiple: true, default: [] },
    products: { type: 'string', default: 'pact-js,contract' },
    only: { type: 'string' },
    case: { type: 'string' },
    skip: { type: 'string' },
    reps: { type: 'string', default: '3' },
    node: { type: 'string', default: process.execPath },
    out: { type: 'string' },
    page: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (opt.help || opt.list) {
  if (opt.help)
    console.log(
      'node run.mjs --dir pact-js=DIR [--dir contract=DIR] [--adapter NAME=FILE] [--only ids] [--skip ids] [--case text] [--reps 3] [--node PATH] [--out FILE] [--page] [--quick]\n',
    )
  for (const s of scenarios) {
    console.log(`${s.id}: ${s.title}`)
    for (const c of s.cases) console.log(`    ${c.name}`)
  }
  process.exit(0)
}

const nodeExe = path.resolve(opt.node)
const dirs = Object.fromEntries(opt.dir.map((d) => d.split(/=(.*)/s).slice(0, 2)))
// An adapter can be in another directory, for example in the repository of the product.
const adapters = Object.fromEntries(opt.adapter.map((d) => d.split(/=(.*)/s).slice(0, 2)))
const adapterUrl = (name) =>
  (adapters[name] ? pathToFileURL(path.resolve(adapters[name])) : new URL(`./adapters/${name}.mjs`, import.meta.url))
    .href
const envName = (p) => `BENCH_${p.toUpperCase().replace(/-/g, '_')}_DIR`

// Find the available products.
const products = []
const absent = []
for (const name of opt.products.split(',')) {
  const dir = dirs[name] ?? process.env[envName(name)]
  const adapter = await import(adapterUrl(name))
  let reason
  if (!dir) reason = `no directory was passed (--dir ${name}=DIR or ${envName(name)})`
  if (!reason) {
    const probe = spawnSync(
      nodeExe,
      [
        '--input-type=module',
        '-e',
        `
      const a = await import(${JSON.stringify(adapterUrl(name))});
      try { const d = await a.load({ dir: ${JSON.stringify(path.resolve(dir))}, log: 'quiet' }); console.log('\\nVERSION ' + d.version); process.exit(0); }
      catch (e) { console.log('\\nREASON ' + e.message); process.exit(1); }`,
      ],
      { encoding: 'utf8', timeout: 60_000 },
    )
    const v = /VERSION (.*)/.exec(probe.stdout)
    if (v) {
      products.push({ name, dir: path.resolve(dir), packageName: adapter.packageName, version: v[1], env: adapter.env })
      continue
    }
    reason =
      /REASON (.*)/.exec(probe.stdout)?.[1] ??
      `load ended with ${probe.status ?? probe.signal}: ${probe.stderr.slice(-300)}`
  }
  absent.push({ name, reason })
}
for (const a of absent) console.error(`not measured: ${a.name}: ${a.reason}`)
if (!products.length) {
  console.error('no product is available')
  process.exit(2)
}

// Results must not contain paths of this machine.
const hide = [
  [pathTo('.'), '<bench>/lib/'],
  [pathTo('..').replace(/\/$/, ''), '<bench>'],
  [os.homedir(), '~'],
  [path.dirname(nodeExe), '<node>'],
  [os.tmpdir(), '<tmp>'],
]
for (const p of products) hide.unshift([p.dir, `<${p.name}>`])
const clean = (x) => {
  if (typeof x === 'string') return hide.reduce((s, [a, b]) => (a.length > 1 ? s.split(a).join(b) : s), x)
  if (Array.isArray(x)) return x.map(clean)
  if (x && typeof x === 'object') return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, clean(v)]))
  return x
}

// All workers have the same small environment, because RUST_BACKTRACE, RUST_LOG, LOG_LEVEL, or NODE_OPTIONS
// of the shell would change the measurements. An adapter can add variables (export const env).
const baseEnv = Object.fromEntries(
  ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'].filter((k) => process.env[k] !== undefined).map((k) => [k, process.env[k]]),
)

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'contract-bench-run-'))
const running = new Set()
for (const s of ['SIGINT', 'SIGTERM'])
  process.on(s, () => {
    for (const c of running) c.kill('SIGKILL')
    fs.rmSync(work, { recursive: true, force: true })
    process.exit(130)
  })

function runOne(product, scenario, params, timeoutMs) {
  const result = path.join(work, 'result.json')
  fs.rmSync(result, { force: true })
  return new Promise((resolve) => {
    const job = JSON.stringify({
      product: product.name,
      adapter: adapterUrl(product.name),
      dir: product.dir,
      scenario: scenario.id,
      params,
      result,
    })
    const child = spawn(nodeExe, [pathTo('../worker.mjs'), job], {
      cwd: work,
      env: { ...baseEnv, TMPDIR: work, ...product.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let tail = ''
    let outputBytes = 0
    const keep = (d) => {
      outputBytes += d.length
      tail = (tail + d).slice(-1500)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, timeoutMs)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      running.delete(child)
      let r = { metrics: {} }
      try {
        r = JSON.parse(fs.readFileSync(result, 'utf8'))
      } catch {
        /* nothing was written */
      }
      if ((timedOut && r.partial !== undefined) || (timedOut && !r.endedAt))
        r.error = `stopped at the limit of ${timeoutMs / 1000} s`
      else if (!r.endedAt || code !== 0)
        r.error = `${r.error ? `${r.error}\n` : ''}process ended with ${signal ?? `code ${code}`}: ${tail.slice(-600)}`
      if (r.endedAt) r.exitMs = Date.now() - r.endedAt
      if (scenario.loadsProduct !== false && r.metrics) r.metrics.outputKb = outputBytes / 1024
      delete r.endedAt
      resolve(r)
    })
  })
}

const common = {
  peakRssMb: { label: 'peak RSS of the process', unit: 'MiB' },
  rssAfterLoadMb: { label: 'RSS after loading the product', unit: 'MiB' },
  cpuTotalMs: { label: 'CPU time of the whole process', unit: 'ms' },
  outputKb: { label: 'written to stdout and stderr', unit: 'KiB' },
  exitMs: { label: 'end of work to end of process', unit: 'ms' },
}
const pick = (list, id) => list === undefined || list.split(',').includes(id)
const reps = Number(opt.reps)
const startedAt = new Date()
const load0 = os.loadavg()
const results = []

function save() {
  const report = clean({
    startedAt: startedAt.toISOString(),
    minutes: Number(((Date.now() - startedAt) / 60000).toFixed(1)),
    environment: {
      node: spawnSync(nodeExe, ['-v'], { encoding: 'utf8' }).stdout.trim(),
      cpu: os.cpus()[0]?.model,
      cores: os.cpus().length,
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      os: `${os.platform()} ${os.release()}`,
      loadAverageAtStart: load0.map((x) => Number(x.toFixed(2))),
    },
    products: products.map(({ name, packageName, version, env }) => ({ name, packageName, version, env })),
    absent,
    options: { reps, quick: opt.quick, only: opt.only, skip: opt.skip, case: opt.case },
    results,
  })
  const md = markdown(report)
  if (opt.out) {
    fs.mkdirSync(path.dirname(path.resolve(opt.out)), { recursive: true })
    fs.writeFileSync(`${opt.out}.json`, `${JSON.stringify(report, null, 1)}\n`)
    fs.writeFileSync(`${opt.out}.md`, md)
  }
  return { report, md }
}

for (const scenario of scenarios) {
  if (!pick(opt.only, scenario.id) || (opt.skip && pick(opt.skip, scenario.id))) continue
  for (const c of scenario.cases) {
    if (opt.case && !c.name.includes(opt.case)) continue
    if (opt.quick && c.quick === null) continue
    const params = { ...c.params, ...(opt.quick ? c.quick : {}) }
    const n = opt.quick ? 1 : Math.min(reps, c.reps ?? scenario.reps ?? Infinity)
    const entry = {
      scenario: scenario.id,
      title: scenario.title,
      case: c.name,
      params,
      series: c.series,
      size: c.size,
      headline: scenario.headline,
      alsoHeadline: scenario.alsoHeadline,
      metrics: { ...scenario.metrics, ...(scenario.loadsProduct === false ? {} : common) },
      runs: Object.fromEntries(products.map((p) => [p.name, []])),
    }
    results.push(entry)
    const stopped = new Set()
    for (let i = 0; i < n; i += 1) {
      // A B, then B A, and so on.
      for (const p of i % 2 ? [...products].reverse() : products) {
        if (stopped.has(p.name)) continue // no second wait for the same time limit or the same crash
        const r = await runOne(p, scenario, params, scenario.timeoutMs ?? 60_000)
        if (r.exitMs !== undefined && scenario.loadsProduct !== false) r.metrics.exitMs = r.exitMs
        delete r.exitMs
        entry.runs[p.name].push(r)
        if (r.error && (i > 0 || /limit of/.test(r.error))) stopped.add(p.name)
        const h = r.metrics?.[scenario.headline]
        console.error(
          `${scenario.id} | ${c.name} | ${p.name} ${i + 1}/${n}: ${h === undefined ? '-' : `${h.toFixed(2)} ${scenario.metrics[scenario.headline].unit}`}${r.error ? `  ERROR ${r.error.split('\n')[0].slice(0, 160)}` : ''}${r.skipped ? `  skipped: ${r.skipped}` : ''}`,
        )
      }
    }
    save()
  }
}

const { report, md } = save()
fs.rmSync(work, { recursive: true, force: true })
console.log(md)
if (opt.page) recordComparison(report)
if (!opt.out && !opt.page) console.log(JSON.stringify(report))
