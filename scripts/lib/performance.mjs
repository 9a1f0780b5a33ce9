// The page docs/performance.md. Benchmarks record their results in docs/data/performance.json with `--page`, and the
// page is generated from that file.
import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'

const dataPath = join(root, 'docs', 'data', 'performance.json')
const pagePath = join(root, 'docs', 'performance.md')

/** Rows of the comparison: a case of scripts/bench-compare and its metric. */
const comparisonRows = [
  ['Production install, MiB', 'install', 'npm install --omit=dev', 'diskMb'],
  ['Production install, packages', 'install', 'npm install --omit=dev', 'packages'],
  ['Import of the package, ms', 'import', '15 process starts each', 'costMs'],
  ['One consumer test, first 20 on a file, ms', 'cycle', '200 tests, fetch', 'firstMs'],
  ['One consumer test, the 200th on a file, ms', 'cycle', '200 tests, fetch', 'lastMs'],
  ['One consumer test, the 1,000th on a file, ms', 'cycle', '1000 tests, fetch', 'lastMs'],
  ['Mock server, requests per second', 'throughput', '1 interaction, GET', 'rps'],
  [
    'Request of 1 MiB with five type matchers per item, ms',
    'body',
    'POST of a large body matched by eachLike of 5 type matchers, 1 MiB',
    'roundTripMs',
  ],
  ['Verification of 100 interactions, ms', 'verify', '100 interactions, no provider state', 'totalMs'],
  ['Verification of 1,000 interactions, ms', 'verify', '1000 interactions, no provider state', 'totalMs'],
  ['4 processes on one file, lost interactions', 'parallel', '4 processes, 50 tests each', 'lost'],
]

const higherIsBetter = new Set(['rps'])
const withoutRatio = new Set(['packages'])

export function readPerformance() {
  return JSON.parse(readFileSync(dataPath, 'utf8'))
}

/** Records the results of scripts/bench-compare. Cases that this run did not measure keep their earlier results. */
export function recordComparison(report) {
  const data = readPerformance()
  for (const { name, version } of report.products) {
    const product = data.comparison[name] ?? { cases: {} }
    data.comparison[name] = { ...product, version }
    for (const [, scenario, caseName, metric] of comparisonRows) {
      const entry = report.results.find((result) => result.scenario === scenario && result.case === caseName)
      const runs = entry?.runs[name]?.filter((run) => !run.error).map((run) => run.metrics?.[metric]) ?? []
      const values = runs.filter(Number.isFinite)
      if (values.length === 0) continue
      const date = report.startedAt.slice(0, 10)
      data.comparison[name].cases[`${scenario}: ${caseName}: ${metric}`] = { ...summary(values), date }
    }
  }
  data.machine = machineOf(report.environment)
  write(data)
}

/** Records those results of scripts/bench-broker.mjs that the page contains. */
export function recordBroker(measured) {
  const data = readPerformance()
  const shown = ({ database, size, perSecond, paced, residentMegabytes: { most }, listeningInMilliseconds }) => {
    const times = Object.keys(brokerKinds).map((kind) => [kind, { p50: paced[kind].p50, p99: paced[kind].p99 }])
    return {
      database,
      size,
      perSecond,
      paced: Object.fromEntries(times),
      residentMegabytes: { most },
      listeningInMilliseconds,
    }
  }
  data.broker = { ...measuredHere(), measured: measured.map(shown) }
  write(data)
}

/** Records the results of scripts/bench-stub.mjs. */
export function recordStub(measured) {
  const data = readPerformance()
  data.stub = { ...measuredHere(), ...measured }
  write(data)
}

/** The date, and the machine. */
function measuredHere() {
  const machine = machineOf({
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.platform()} ${os.release()}`,
  })
  return { date: new Date().toISOString().slice(0, 10), machine }
}

function write(data) {
  writeFileSync(dataPath, `${JSON.stringify(data, null, 2)}\n`)
  writeFileSync(pagePath, performancePage(data))
}

function machineOf({ cpu, cores, memoryGiB, os: system }) {
  return `${cores} cores (${cpu}), ${memoryGiB} GiB, ${system.startsWith('linux') ? 'Linux' : system}`
}

function summary(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median: rounded(median), min: rounded(sorted[0]), max: rounded(sorted.at(-1)), runs: values.length }
}

const rounded = (value) => Number(value.toPrecision(3))

/** How many times better `contract` is than pact-js, or undefined without both figures. */
export function improvement(data, key) {
  const [theirs, ours] = ['pact-js', 'contract'].map((name) => data.comparison[name]?.cases[key]?.median)
  if (!(theirs > 0) || !(ours > 0)) return undefined
  return higherIsBetter.has(key.split(': ').at(-1)) ? ours / theirs : theirs / ours
}

export function performancePage(data = readPerformance()) {
  return `${[
    '# Performance',
    'How fast consumer tests, verifications and the broker are, compared with pact-js. The benchmarks write this page. Absolute times depend\non the machine and on its load: compare the ratios.',
    `Machine: ${data.machine}, unless a section names another one. Release builds on Linux x64.`,
    '## Comparison with pact-js',
    comparisonTable(data),
    'Cells contain the median of the repetitions and their range. Measured on:',
    datesOf(data),
    methodOfComparison,
    '## Broker',
    brokerIntroduction(data.broker),
    brokerTable(data.broker),
    ...(data.stub === undefined ? [] : ['## Stub', stubIntroduction(data.stub), stubTable(data.stub)]),
    '## Reproduce',
    reproduce,
  ].join('\n\n')}\n`
}

const methodOfComparison = `**Method.** Each case of each repetition runs in a new process per product, after a warm-up, in alternating order. The load generator and
the provider are separate processes. The outcome of each case is checked: a lost interaction or a wrong result is an error. A consumer
test is everything from defining the interaction to the written file, with one request in between.`

const reproduce = `\`scripts/bench-compare/README.md\` describes the comparison with pact-js. \`--page\` records the results and writes this page:

\`\`\`sh
npm run build:release
npm run pack:local -- ./tarballs
node scripts/bench-compare/run.mjs --dir pact-js=PEER --dir contract=OURS --page
\`\`\`

The other benchmarks measure the broker, stubs, matching, plugins and the Python package:

\`\`\`sh
npm run bench:broker -- --sizes M,L --only sqlite --page
npm run bench:stub -- --page
npm run bench:matching
npm run bench:plugins
python python/bench/bench.py
\`\`\`

\`bench:broker\` without options also measures other sizes and PostgreSQL. \`docs/decisions/0021-broker-benchmark.md\` in the repository
describes its data and requests.`

function comparisonTable(data) {
  const rows = comparisonRows.flatMap(([label, scenario, name, metric]) => {
    const key = `${scenario}: ${name}: ${metric}`
    const cells = ['pact-js', 'contract'].map((product) => cell(data.comparison[product]?.cases[key]))
    if (cells.every((text) => text === '–')) return []
    const factor = withoutRatio.has(metric) ? undefined : improvement(data, key)
    return [[label, ...cells, factor === undefined ? '' : `${figure(factor)}×`]]
  })
  const { 'pact-js': theirs, contract: ours } = data.comparison
  return table([['', `pact-js ${theirs.version}`, `contract ${ours.version}`, 'Better by'], ...rows])
}

function cell(result) {
  if (result === undefined) return '–'
  const { median, min, max } = result
  return min === undefined || min === max ? figure(median) : `${figure(median)} (${figure(min)}–${figure(max)})`
}

function figure(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)))
}

function datesOf(data) {
  const lines = Object.entries(data.comparison).map(([name, { version, cases }]) => {
    const dates = [...new Set(Object.values(cases).map(({ date }) => date))].sort()
    return `- ${name} ${version}: ${dates.join(', ')}`
  })
  return lines.join('\n')
}

function brokerIntroduction({ date, machine, measured }) {
  const [{ perSecond }] = measured
  return `${perSecond} requests per second of a mix of publications, selections, results and verdicts. Latency as p50 / p99 in milliseconds.
Client, broker and database share the machine: ${machine}. Measured on ${date}.`
}

const sizes = {
  S: '2,000 versions, 5,000 results',
  M: '50,000 versions, 200,000 results',
  L: '500,000 versions, 2,000,000 results',
}

/** The kinds of requests in the table, and their labels. */
const brokerKinds = {
  publish: 'publish contracts',
  'for-verification': 'contracts to verify',
  verdict: '`can-i-deploy`',
}

function brokerTable({ measured: columns }) {
  const pair = ({ p50, p99 }) => `${figure(p50)} / ${figure(p99)}`
  return table([
    ['', ...columns.map(({ database, size }) => `${database}, ${sizes[size]}`)],
    ...Object.entries(brokerKinds).map(([kind, label]) => [label, ...columns.map(({ paced }) => pair(paced[kind]))]),
    ['memory under load, MB', ...columns.map(({ residentMegabytes: { most } }) => figure(most))],
    ['ready after start, ms', ...columns.map(({ listeningInMilliseconds }) => figure(listeningInMilliseconds))],
  ])
}

function stubIntroduction({ date, machine, contracts, interactions }) {
  return `\`contract stub\` with ${figure(contracts)} contracts, which contain ${figure(interactions)} interactions, on one core. Each interaction is requested once.
Client and stub share the machine: ${machine}. Measured on ${date}.`
}

function stubTable({ start, median, p99, unmatched, loadedMegabytes, usedMegabytes }) {
  return table([
    ['', 'Result'],
    ['ready after start, ms', figure(start)],
    ['response, median / p99, ms', `${figure(median)} / ${figure(p99)}`],
    ['response to a request that no interaction matches, median, ms', figure(unmatched)],
    ['memory after the start, MB', figure(loadedMegabytes)],
    ['memory after all requests, MB', figure(usedMegabytes)],
  ])
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((cells) => cells[column].length)))
  const line = (cells) =>
    `| ${cells.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(rows[0]), `| ${rule.join(' | ')} |`, ...rows.slice(1).map(line)].join('\n')
}
