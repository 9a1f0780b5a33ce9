// `npm run bench:matching`: measures matching and, for comparison, the time that serde_json takes to parse the same
// bodies. Criterion takes the measurements, and this script prints a table. Requires an idle machine for some minutes.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, StepFailed } from './lib/run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'target', 'criterion-matching')
const baseline = ['--manifest-path', 'crates/matching/benches/baseline/Cargo.toml', '--target-dir', 'target/baseline']

/** Groups with this prefix are the baseline of the group with the rest of the name. */
const BASELINE = 'serde_json, '

process.env.CRITERION_HOME = results
const quiet = ['--', '--noplot', '--quiet']
try {
  await run('cargo', ['bench', '-q', '-p', 'contract-matching', '--bench', 'matching', ...quiet], { cwd: root })
  await run('cargo', ['bench', '-q', '--locked', ...baseline, ...quiet], { cwd: root })
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exit(1)
}

const groups = new Map()
for (const each of measurements()) groups.set(each.group, [...(groups.get(each.group) ?? []), each])
const rows = [['', 'size', 'median', 'MiB/s', 'serde_json', 'ratio', 'exponent']]
for (const [group, measured] of groups) {
  if (group.startsWith(BASELINE)) continue
  measured.sort((first, other) => first.median - other.median)
  const parsed = groups.get(`${BASELINE}${group}`) ?? []
  for (const [at, { size, median, bytes }] of measured.entries()) {
    const parse = parsed.find((one) => one.size === size)
    rows.push([
      at === 0 ? group : '',
      size,
      time(median),
      bytes === undefined ? '' : ((bytes / median) * (1e9 / 2 ** 20)).toFixed(0),
      parse === undefined ? '' : time(parse.median),
      parse === undefined ? '' : (median / parse.median).toFixed(2),
      at + 1 === measured.length ? exponent(measured) : '',
    ])
  }
}
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
for (const row of rows) {
  console.log(
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
  )
}

/** Reads the results of Criterion: nanoseconds, and bytes if the benchmark has a throughput. */
function measurements() {
  return readdirSync(results, { recursive: true })
    .filter((file) => file.endsWith(join('new', 'benchmark.json')))
    .map((file) => {
      const folder = join(results, dirname(file))
      const description = JSON.parse(readFileSync(join(folder, 'benchmark.json'), 'utf8'))
      const { median } = JSON.parse(readFileSync(join(folder, 'estimates.json'), 'utf8'))
      return {
        group: description.group_id,
        size: description.value_str,
        median: median.point_estimate,
        bytes: description.throughput?.Bytes,
      }
    })
}

/**
 * Growth of the time with the size, from the second size to the last: 1 is linear. The first size is mostly fixed cost.
 */
function exponent(measured) {
  if (measured.length < 3) return ''
  const [from, to] = [measured[1], measured.at(-1)]
  return (Math.log(to.median / from.median) / Math.log(sizeOf(to) / sizeOf(from))).toFixed(2)
}

function sizeOf({ bytes, size }) {
  return bytes ?? Number(size)
}

function time(nanoseconds) {
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`
  return `${(nanoseconds / 1e6).toPrecision(3)} ms`
}
