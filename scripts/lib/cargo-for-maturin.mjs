#!/usr/bin/env node
// maturin's cargo while we work and test. maturin builds one package by itself; cargo would choose other features for what
// that shares with the rest of the workspace, and compile most of it once more. Here its order becomes the one call that
// builds everything, with the artifacts that are there. What maturin asks for besides goes to cargo as it is.
import { spawnSync } from 'node:child_process'
import { nativePackages, workEnvironment } from './cargo.mjs'

const [command, ...rest] = process.argv.slice(2)
const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CARGO|PYO3_.*)$/.test(name)))
const build = [
  'build',
  ...nativePackages.flatMap((name) => ['--package', name]),
  '--message-format',
  'json-render-diagnostics',
]
const isOrder = command === 'rustc'
const env = isOrder ? { ...given, ...workEnvironment(given) } : given
const { status, error } = spawnSync('cargo', isOrder ? build : [command, ...rest], { stdio: 'inherit', env })
if (error) throw error
process.exitCode = status ?? 1
