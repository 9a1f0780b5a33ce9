// The `contract doctor` command.
import type { Check } from './check.js'
import { checkBroker, checkCi } from './pipeline.js'
import {
  checkCore,
  checkDirectory,
  checkExecutable,
  checkNode,
  checkPackage,
  checkPactJs,
  checkRunner,
} from './project.js'

const LABELS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ', skipped: '-      ' } as const

/** Runs the `doctor` command and returns its exit code. */
export async function doctor(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== '--json')
  if (unknown !== undefined) {
    process.stderr.write(`doctor: unknown argument ${unknown}. Options: --json, --help\n`)
    return 2
  }
  const checks = await run(process.cwd(), process.env)
  const isOk = checks.every(({ status }) => status !== 'failed')
  const value = { ok: isOk, checks }
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(value, null, 2)}\n` : text(checks))
  return isOk ? 0 : 1
}

async function run(folder: string, environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const core = checkCore()
  const checks = [
    checkNode(),
    checkPackage(folder),
    core,
    checkExecutable(),
    checkRunner(folder),
    checkDirectory(folder, environment),
    checkPactJs(folder),
    checkCi(environment),
    await checkBroker(environment, core.status === 'ok'),
  ]
  return checks.filter((check) => check !== undefined)
}

function text(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, status, text, fix }) => {
    const line = `${LABELS[status]}  ${name.padEnd(10)}  ${text}`
    return fix === undefined ? [line] : [line, ...fix.split('\n').map((fixLine) => `${' '.repeat(21)}${fixLine}`)]
  })
  const failures = checks.filter(({ status }) => status === 'failed').length
  const result = failures === 0 ? 'No check failed.' : `${failures} ${failures === 1 ? 'check' : 'checks'} failed.`
  return `${[...lines, result].join('\n')}\n`
}
