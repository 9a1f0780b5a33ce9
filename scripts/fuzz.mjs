// `npm run fuzz -- TARGET [seconds]`: searches for inputs that violate a property of the target. Default: 600 seconds.
// Inputs are written to crates/fuzz/found/TARGET, so that `cargo test` runs them. Requires a C++ compiler and an
// x86-64 or ARM machine with Linux or macOS.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, StepFailed } from './lib/run.mjs'

/** Instruments code coverage and comparisons, as cargo-fuzz does; these options need no nightly compiler. */
const coverage = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
]

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'crates', 'fuzz')
const targets = readdirSync(join(folder, 'seeds')).sort()
const [target, seconds = '600'] = process.argv.slice(2)

if (!targets.includes(target) || !/^\d+$/.test(seconds)) {
  console.error(`usage: npm run fuzz -- TARGET [seconds]\nTARGET is one of ${targets.join(', ')}`)
  process.exit(2)
}

const host = /host: (\S+)/.exec(spawnSync('rustc', ['-vV'], { encoding: 'utf8' }).stdout)?.[1]
const output = join(root, 'target', 'fuzz-coverage')
const corpus = join(root, 'target', 'fuzz-corpus', target)
const found = join(folder, 'found', target)
for (const each of [corpus, found]) mkdirSync(each, { recursive: true })
process.env.RUSTFLAGS = coverage.join(' ')
process.env.FUZZ_TARGET = target

try {
  // With an explicit target, build scripts and macros are compiled without these options.
  const build = ['build', '-q', '-p', 'contract-fuzz', '--features', 'libfuzzer', '--profile', 'fuzz', '--target', host]
  await run('cargo', [...build, '--target-dir', output], { cwd: root })
  await run(
    join(output, host, 'fuzz', 'fuzz'),
    [
      `-max_total_time=${seconds}`,
      '-max_len=20000',
      '-timeout=10',
      '-report_slow_units=1',
      '-rss_limit_mb=2048',
      '-print_final_stats=1',
      `-artifact_prefix=${found}/`,
      corpus,
      join(folder, 'seeds', target),
      found,
    ],
    { cwd: root },
  )
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exit(1)
}
