#!/usr/bin/env node
// The `cargo` that maturin calls in development and tests. maturin builds a single package, for which cargo would
// choose other features for shared dependencies and compile most of them again. This script calls the build of
// everything instead, with existing artifacts. Other calls are passed to cargo unchanged.
import { spawnSync } from 'node:child_process'
import { nativePackages, workEnvironment } from './cargo.mjs'

const [command, ...rest] = process.argv.slice(2)
const cleaned = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CARGO|PYO3_.*)$/.test(name)))
const build = [
  'build',
  ...nativePackages.flatMap((name) => ['--package', name]),
  '--message-format',
  'json-render-diagnostics',
]
const isOrder = command === 'rustc'
const env = isOrder ? { ...cleaned, ...workEnvironment(cleaned) } : cleaned
const { status, error } = spawnSync('cargo', isOrder ? build : [command, ...rest], { stdio: 'inherit', env })
if (error) throw error
process.exitCode = status ?? 1
