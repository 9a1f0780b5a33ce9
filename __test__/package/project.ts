import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const checkout = resolve(__dirname, '..', '..')

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project that uses the package, outside the checkout. `remove` deletes it. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'contract-test-')))

  constructor(manifest: object = {}) {
    this.write('package.json', JSON.stringify({ name: 'user', version: '1.0.0', private: true, ...manifest }))
  }

  /** Creates a copy of the project, for tests that damage it. */
  copy(): Project {
    const copy = new Project()
    cpSync(this.folder, copy.folder, { recursive: true, verbatimSymlinks: true })
    return copy
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(this.path(file)), { recursive: true })
    writeFileSync(this.path(file), text)
  }

  npm(...args: string[]): Outcome {
    return run(this.folder, 'npm', args)
  }

  node(...args: string[]): Outcome {
    return run(this.folder, process.execPath, args)
  }

  /** Runs JavaScript as CommonJS, with variables added to the environment. */
  script(code: string, env: NodeJS.ProcessEnv = {}): Outcome {
    return run(this.folder, process.execPath, ['-e', code], env)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Runs a command as from a new terminal, without the variables that npm sets for its scripts. */
export function run(folder: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}): Outcome {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|CONTRACT_|NODE_|JEST_)/i.test(name))
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...env },
    encoding: 'utf8',
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (error) throw error
  return { status, stdout, stderr }
}
