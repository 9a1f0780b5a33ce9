// `npm run bench:broker [-- --sizes S,M,worst] [--seconds 20] [--rate 500] [--only sqlite] [--page]`: measures the latency of the broker with
// generated data of two sizes and with unusually many rows of one kind, on SQLite and PostgreSQL. Starts PostgreSQL, and installs
// it with apt if it is missing. `--page` writes docs/performance.md. Requires an idle machine for about 20 minutes, mostly to fill
// databases. The size L requires 40 GB of disk and about half an hour.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hostTarget } from './lib/cargo.mjs'
import { recordBroker } from './lib/performance.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { run, StepFailed } from './lib/run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: 'S,M,worst' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '500' },
    only: { type: 'string' },
    page: { type: 'boolean', default: false },
  },
})
const sizes = values.sizes.split(',')

/** Targets on SQLite: milliseconds, megabytes, requests per second. */
const targets = {
  publish: 30,
  'for-verification': 30,
  verdict: 20,
  megabytes: 100,
  listening: 200,
  growth: 2,
  perSecond: 500,
  page: 50,
  pageKilobytes: 100,
}

try {
  await main()
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function main() {
  const target = ['--target', hostTarget()]
  const built = ['--release', '-p', 'contract-cli', '-p', 'contract-broker', '--bin', 'contract', '--example', 'load']
  await run('cargo', ['build', ...built, ...target], { cwd: root })
  const folder = join(root, 'target', hostTarget(), 'release')
  const measured = []
  if (values.only !== 'postgres') {
    for (const size of sizes) {
      const data = mkdtempSync(join(tmpdir(), 'contract-bench-'))
      try {
        measured.push({ database: 'SQLite', ...(await measure(folder, `sqlite:${join(data, 'broker.sqlite')}`, size)) })
      } finally {
        rmSync(data, { recursive: true, force: true })
      }
    }
  }
  if (values.only !== 'sqlite') {
    for (const size of sizes) {
      // Each size uses a new server.
      const postgres = await startPostgres({ production: true })
      try {
        const filled = size === 'L' ? await copyFilled(folder, postgres, size) : {}
        measured.push({ database: 'PostgreSQL', ...(await measure(folder, postgres.url, size)), ...filled })
      } finally {
        await postgres.stop()
      }
    }
  }
  const mixed = measured.filter(({ worst }) => worst === undefined)
  if (mixed.length > 0) {
    show(mixed)
    showPages(mixed)
  }
  showWorst(measured.filter(({ worst }) => worst !== undefined))
  writeFileSync(join(root, 'target', 'bench-broker.json'), JSON.stringify(measured, null, 2))
  if (values.page) recordBroker(mixed)
}

/**
 * Fills a SQLite database and copies it, which is faster than filling PostgreSQL row by row. Afterwards, does the work that
 * PostgreSQL would otherwise start in the background and continue during the measurement.
 */
async function copyFilled(folder, postgres, size) {
  const data = mkdtempSync(join(tmpdir(), 'contract-bench-'))
  try {
    const from = `sqlite:${join(data, 'broker.sqlite')}`
    await measure(folder, from, size, 'fill')
    const begun = Date.now()
    await run(join(folder, 'contract'), ['migrate', '--from', from, '--to', postgres.url], { argv0: 'contract-broker' })
    const filledInSeconds = Math.round((Date.now() - begun) / 1000)
    postgres.execute('VACUUM ANALYZE')
    postgres.execute('CHECKPOINT')
    return { filledInSeconds }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** Fills a database and sends the load. The program prints the results as one line of JSON. */
function measure(folder, database, size, seconds = values.seconds) {
  const child = spawn(
    join(folder, 'examples', 'load'),
    [join(folder, 'contract'), database, size, seconds, values.rate],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(out))
      else reject(new StepFailed(`The load on ${size} ended with ${code}`))
    })
  })
}

function show(measured) {
  const kinds = ['publish', 'for-verification', 'verdict', 'result', 'pact', 'rest']
  const rows = [['milliseconds (p50 / p99)', ...measured.map(({ database, size }) => `${database}, ${size}`), 'target']]
  for (const kind of kinds) {
    const limit = targets[kind] === undefined ? '' : `p99 ≤ ${targets[kind]}`
    rows.push([`${kind}, at ${measured[0].perSecond}/s`, ...measured.map(({ paced }) => pair(paced[kind])), limit])
  }
  for (const kind of kinds) rows.push([`${kind}, alone`, ...measured.map(({ quiet }) => pair(quiet[kind])), ''])
  const row = (title, cell, limit) => rows.push([title, ...measured.map((one) => cell(one)), limit])
  row('listening after', ({ listeningInMilliseconds: after }) => after.toFixed(0), `≤ ${targets.listening}`)
  row('maximum requests per second', ({ mostPerSecond }) => String(mostPerSecond), `> ${targets.perSecond}`)
  row(
    'memory, MB: started / loaded / most',
    ({ residentMegabytes: { started, loaded, most } }) => `${started} / ${loaded} / ${most}`,
    `≤ ${targets.megabytes}`,
  )
  row('filled in, s', ({ filledInSeconds }) => String(filledInSeconds), '')
  print(rows)
  for (const database of new Set(measured.map((one) => one.database))) {
    const [small, large] = measured.filter((one) => one.database === database)
    if (large === undefined) continue
    const growth = large.quiet.verdict.p50 / small.quiet.verdict.p50
    console.log(
      `${database}: a verdict on ${large.size} takes ${growth.toFixed(2)} times as long as on ${small.size} (target: ≤ ${targets.growth})`,
    )
  }
}

function showPages(measured) {
  const columns = measured.map(({ database, size }) => `${database}, ${size}`)
  const rows = [['pages, milliseconds (p50 / p99), compressed with all parts', ...columns]]
  for (const name of Object.keys(measured[0].pages)) {
    const cell = ({ pages: { [name]: page } }) => `${pair(page)}, ${(page.bytes / 1024).toFixed(0)} KB`
    rows.push([name, ...measured.map(cell)])
  }
  console.log()
  print(rows)
  const pages = measured.flatMap(({ database, size, pages }) =>
    Object.entries(pages).map(([name, page]) => ({ ...page, name: `${name} (${database}, ${size})` })),
  )
  const failed = pages.filter(({ p50, bytes }) => p50 > targets.page || bytes > targets.pageKilobytes * 1024)
  console.log(
    failed.length === 0
      ? `All pages are within the targets: a median of ${targets.page} ms, and ${targets.pageKilobytes} KB.`
      : `Above the targets: ${failed.map(({ name }) => name).join(', ')}`,
  )
}

function showWorst(measured) {
  if (measured.length === 0) return
  const rows = [['worst cases, milliseconds (p50 / p99)', ...measured.map(({ database }) => database)]]
  for (const name of Object.keys(measured[0].worst)) {
    const cell = ({ worst }) => (typeof worst[name] === 'number' ? String(worst[name]) : pair(worst[name]))
    rows.push([name, ...measured.map(cell)])
  }
  rows.push(['memory afterwards, MB', ...measured.map(({ megabytes }) => String(megabytes))])
  console.log()
  print(rows)
}

function print(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)))
  for (const cells of rows) {
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]))).join('  '))
  }
}

function pair({ p50, p99 }) {
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`
}
