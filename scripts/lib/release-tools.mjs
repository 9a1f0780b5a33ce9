// Installs the tools that build releases for other platforms into .tmp/release-tools: zig, cargo-zigbuild and maturin from PyPI, and
// cargo-auditable from crates.io. The release workflow installs the same versions.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './root.mjs'
import { run } from './run.mjs'

/** Exact versions, because they determine the bytes of a release. */
export const pythonTools = { ziglang: '0.15.2', 'cargo-zigbuild': '0.24.1', maturin: '1.16.0' }
export const auditableVersion = '0.7.7'

const folder = join(root, '.tmp', 'release-tools')
const python = join(folder, 'python')

/** Installs the tools if necessary, and returns the environment in which they are found. */
export async function releaseTools() {
  const packages = Object.entries(pythonTools).map((tool) => tool.join('=='))
  const versions = [...packages, `cargo-auditable ${auditableVersion}`].join('\n')
  const note = join(folder, 'tools.txt')
  if (!existsSync(note) || readFileSync(note, 'utf8') !== versions) {
    await run('python3', ['-m', 'venv', '--clear', python])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    await run(join(python, 'bin', 'python'), [...pip, ...packages])
    const options = ['cargo-auditable', '--version', auditableVersion, '--locked', '--quiet']
    await run('cargo', ['install', ...options, '--root', folder])
    writeFileSync(note, versions)
  }
  const path = [join(python, 'bin'), join(folder, 'bin'), process.env.PATH].join(delimiter)
  return { ...process.env, PATH: path }
}

/** The command that starts zig, from the directory of tools or from this machine's Python. */
export function zigCommand() {
  const own = join(python, 'bin', 'python')
  const found = [own, 'python3'].find((one) => spawnSync(one, ['-m', 'ziglang', 'version']).status === 0)
  if (found === undefined) throw new Error(`zig is required: pip install ziglang==${pythonTools.ziglang}`)
  return [found, '-m', 'ziglang']
}
