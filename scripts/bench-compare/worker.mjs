// Runs one case of one scenario for one product in its own process, and writes the outcome as JSON to a file. Started
// by run.mjs.
import fs from 'node:fs'
import { scratch } from './lib/proc.mjs'
import { scenarios } from './scenarios/index.mjs'

const job = JSON.parse(process.argv[2]) // { product, dir, scenario, params, result }
const scenario = scenarios.find((s) => s.id === job.scenario)
const write = (o) => {
  fs.writeFileSync(`${job.result}.part`, JSON.stringify(o))
  fs.renameSync(`${job.result}.part`, job.result)
}

process.env.BENCH_ADAPTER_URL = job.adapter // for the processes that a scenario starts
const adapter = await import(job.adapter)
const tmp = scratch()
let startRss = NaN
const ctx = {
  product: job.product,
  dir: job.dir,
  packageName: adapter.packageName,
  tmp,
  async load() {
    const driver = await adapter.load({ dir: job.dir, log: job.params.log ?? 'quiet' })
    startRss = process.memoryUsage.rss() / 1048576
    return driver
  },
  /** Saves intermediate results, in case the case is stopped at its time limit. */
  progress: (metrics, notes = {}) => write({ partial: true, metrics, notes }),
}

let outcome
try {
  outcome = await scenario.run(ctx, job.params)
} catch (e) {
  outcome = { metrics: {}, error: String(e?.stack ?? e).slice(0, 1500) }
}
if (scenario.loadsProduct !== false && outcome.metrics) {
  outcome.metrics.peakRssMb = process.resourceUsage().maxRSS / 1024
  outcome.metrics.rssAfterLoadMb = startRss
  const cpu = process.cpuUsage()
  outcome.metrics.cpuTotalMs = (cpu.user + cpu.system) / 1000
}
outcome.endedAt = Date.now()
write(outcome)
tmp.cleanup()
// Does not wait for resources that keep the process alive. run.mjs records the duration of the exit.
setTimeout(() => process.exit(0), 5000).unref()
