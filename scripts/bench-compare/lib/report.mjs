import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import { median, summary } from './stats.mjs'

const fmt = (x) => {
  if (x === undefined || !Number.isFinite(x)) return '–'
  const a = Math.abs(x)
  if (a >= 1000) return Math.round(x).toLocaleString('en-US')
  if (a >= 100) return x.toFixed(0)
  if (a >= 10) return x.toFixed(1)
  return x === Math.round(x) ? String(x) : x.toFixed(2)
}
const cell = (s) => String(s).replace(/\|/g, '\\|').replace(/\s+/g, ' ')

const values = (entry, product, key) =>
  (entry.runs[product] ?? []).map((r) => r.metrics?.[key]).filter((x) => Number.isFinite(x))
const failed = (entry, product) => (entry.runs[product] ?? []).filter((r) => r.error)

function show(entry, product, key) {
  const xs = values(entry, product, key)
  if (!xs.length) return '–'
  const s = summary(xs)
  const mark = failed(entry, product).length ? ' ⚠' : ''
  if (xs.length === 1 || s.min === s.max) return `${fmt(s.median)}${mark}`
  return `${fmt(s.median)} (${fmt(s.min)}–${fmt(s.max)})${mark}`
}

/** How many times better `b` is than `a` (above 1: b is better), from the pairs of one repetition. */
export function ratio(entry, a, b, key) {
  const better = entry.metrics[key].better ?? 'lower'
  const xs = []
  const n = Math.min(entry.runs[a]?.length ?? 0, entry.runs[b]?.length ?? 0)
  for (let i = 0; i < n; i += 1) {
    const ra = entry.runs[a][i]
    const rb = entry.runs[b][i]
    const [x, y] = [ra.metrics?.[key], rb.metrics?.[key]]
    if (ra.error || rb.error || !(x > 0) || !(y > 0)) continue
    xs.push(better === 'higher' ? y / x : x / y)
  }
  return xs.length ? { median: median(xs), min: Math.min(...xs), max: Math.max(...xs), pairs: xs.length } : undefined
}

export function markdown(report) {
  const names = report.products.map((p) => p.name)
  const [base, ...rest] = names
  const out = []
  const e = report.environment
  out.push('# Benchmark results', '')
  out.push(
    `${report.products.map((p) => `\`${p.packageName}\` ${p.version} (\`${p.name}\`)`).join(', ')} on node ${e.node}; ${e.cpu}, ${e.cores} cores, ${e.memoryGiB} GiB, ${e.os}; started ${report.startedAt}, ${report.minutes} min; load average at the start ${e.loadAverageAtStart.join(' ')}.`,
  )
  out.push(
    '',
    `Median (min–max) of up to ${report.options.reps} repetitions, each in its own process${rest.length ? '; the products alternate' : ''}. ⚠ marks a case with an error (see the end).`,
    '',
  )
  for (const a of report.absent) out.push(`Left out: \`${a.name}\` (${a.reason}).`, '')

  for (const n of report.notes ?? []) out.push(`Note: ${n}`, '')

  out.push('## Headlines', '')
  const heads = rest.map((o) => `${o}: times better than ${base}`)
  out.push(
    `| scenario | case | measure | ${[...names, ...heads].join(' | ')} |`,
    `|---|---|---|${[...names, ...heads].map(() => '--:').join('|')}|`,
  )
  for (const r of report.results) {
    for (const k of [r.headline, ...(r.alsoHeadline ?? [])]) {
      const m = r.metrics[k]
      const ratios = rest.map((o) => {
        const q = ratio(r, base, o, k)
        return q ? `**${fmt(q.median)}×** (${fmt(q.min)}–${fmt(q.max)})` : '–'
      })
      out.push(
        `| ${r.scenario} | ${cell(r.case)} | ${m.label}${m.unit && m.unit !== '/s' ? `, ${m.unit}` : ''} | ${names.map((n) => show(r, n, k)).join(' | ')}${ratios.length ? ` | ${ratios.join(' | ')}` : ''} |`,
      )
    }
  }

  const series = new Map()
  for (const r of report.results)
    if (r.series) series.set(`${r.scenario}: ${r.series}`, [...(series.get(`${r.scenario}: ${r.series}`) ?? []), r])
  const lines = []
  for (const [name, list] of series) {
    for (const product of names) {
      for (const [key, m] of Object.entries(list[0].metrics)) {
        if (m.unit !== 'ms' || ['exitMs', 'perMs', 'cpuTotalMs', 'p99Ms'].includes(key)) continue
        const steps = []
        for (let i = 1; i < list.length; i += 1) {
          const [a, b] = [median(values(list[i - 1], product, key)), median(values(list[i], product, key))]
          if (a > 0 && b > 0 && list[i - 1].size > 0)
            steps.push(
              `${(Math.log(b / a) / Math.log(list[i].size / list[i - 1].size)).toFixed(2)}${b < 10 ? ' (under 10 ms)' : ''}`,
            )
        }
        if (steps.length)
          lines.push(
            `| ${cell(name)} | ${m.label} | ${product} | ${list.map((r) => r.size.toLocaleString('en-US')).join(' → ')} | ${steps.join(', ')} |`,
          )
      }
    }
  }
  if (lines.length) {
    out.push(
      '',
      '## Growth',
      '',
      'Exponent between neighbouring sizes: about 1 is linear, about 2 is quadratic. Small times are mostly fixed cost, so their exponents say little.',
      '',
    )
    out.push('| series | measure | product | sizes | exponents |', '|---|---|---|---|---|', ...lines)
  }

  out.push('', '## All measures')
  let title
  for (const r of report.results) {
    if (r.title !== title) {
      title = r.title
      out.push('', `### ${title}`)
    }
    out.push(
      '',
      `**${cell(r.case)}**`,
      '',
      `| measure | ${names.join(' | ')} |`,
      `|---|${names.map(() => '--:').join('|')}|`,
    )
    for (const [key, m] of Object.entries(r.metrics)) {
      if (names.every((n) => !values(r, n, key).length)) continue
      out.push(`| ${m.label}${m.unit ? `, ${m.unit}` : ''} | ${names.map((n) => show(r, n, key)).join(' | ')} |`)
    }
  }

  const errors = report.results.flatMap((r) =>
    names.flatMap((n) =>
      failed(r, n)
        .slice(0, 1)
        .map(
          (f) =>
            `- ${n}, ${r.scenario}, ${r.case} (${failed(r, n).length} of ${r.runs[n].length} runs): ${cell(f.error).slice(0, 500)}`,
        ),
    ),
  )
  out.push('', '## Errors', '', ...(errors.length ? errors : ['None.']), '')
  return out.join('\n')
}

// node lib/report.mjs results/x.json: writes results/x.md again from the JSON.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href && process.argv[2]) {
  fs.writeFileSync(
    process.argv[2].replace(/\.json$/, '.md'),
    markdown(JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))),
  )
}
