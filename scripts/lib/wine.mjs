// Runs Node for Windows with Wine. Requires root, apt, and zig (as the Python package ziglang).
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from './debian.mjs'
import { StepFailed } from './run.mjs'

/** The library from which Rust reads random numbers. Wine 8 lacks it. */
const RANDOM = `
unsigned char __declspec(dllimport) __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, unsigned long long length) {
  return SystemFunction036(data, (unsigned long)length);
}
`

/** Creates a Wine prefix in `folder`, and returns the environment for programs. `zig` is a command with its arguments. */
export function prepareWine(folder, zig) {
  installPackages('/usr/bin/wine', ['wine', 'wine64'])
  const prefix = join(folder, 'wine')
  const env = {
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    // Without a display, and without offering to install .NET or a browser.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    NODE_SKIP_PLATFORM_CHECK: '1',
  }
  const options = { env: { ...process.env, ...env }, stdio: 'pipe', timeout: 180_000 }
  const system = join(prefix, 'drive_c', 'windows', 'system32')
  if (!existsSync(join(system, 'kernel32.dll'))) {
    mkdirSync(folder, { recursive: true })
    execFileSync('wineboot', ['--init'], options)
    execFileSync('wine', ['winecfg', '-v', 'win10'], options)
  }
  if (!existsSync(join(system, 'bcryptprimitives.dll'))) {
    const source = join(folder, 'random.c')
    writeFileSync(source, RANDOM)
    const [command, ...args] = zig
    const output = join(system, 'bcryptprimitives.dll')
    execFileSync(command, [
      ...args,
      'cc',
      '-target',
      'x86_64-windows-gnu',
      '-shared',
      source,
      '-ladvapi32',
      '-o',
      output,
    ])
  }
  return env
}

/** Runs a program for Windows. Node cannot write to a pipe of this system, so its output goes through a file. */
export function runInWine(program, args, { cwd, env, timeout }) {
  const log = join(cwd, 'output.txt')
  const output = openSync(log, 'w')
  const { status, signal, error } = spawnSync('wine', [program, ...args], {
    cwd,
    env,
    timeout,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  process.stdout.write(readFileSync(log))
  if (error || status !== 0) throw new StepFailed(`wine ended with ${error?.message ?? signal ?? status}`)
}
