// The `contract migrate` command.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { loadAstGrep, parserFor, SyntaxProblem } from './ast-grep.js'
import { type Conversion, convert } from './convert.js'
import { unifiedDiff } from './diff.js'
import { isSourceFile, pactMajor, readSource, sourceFiles, writeSource } from './files.js'
import { TODO } from './rewriter.js'

/** Runs the `migrate` command and returns its exit code. */
export function migrate(args: readonly string[]): number {
  const options = args.filter((arg) => arg.startsWith('-'))
  const [source, ...paths] = args.filter((arg) => !arg.startsWith('-'))
  const unknown = options.find((option) => option !== '--dry-run')
  if (unknown !== undefined) return fail(`migrate: unknown option ${unknown}. Options: --dry-run, --help`)
  if (source === undefined) return fail('migrate: the source is missing. Usage: contract migrate pact-js [PATH]...')
  if (source !== 'pact-js') return fail(`migrate: unknown source "${source}". Supported: pact-js`)
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) return fail(`migrate: ${missing} does not exist`)
  const unsupported = paths.find((path) => sourceFiles(path)[0] === path && !isSourceFile(path))
  if (unsupported !== undefined) return fail(`migrate: ${unsupported} is not a JavaScript or TypeScript file`)
  try {
    return run(paths.length === 0 ? ['.'] : paths, options.includes('--dry-run'))
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

interface Outcome {
  readonly path: string
  readonly conversion: Conversion
}

function run(paths: readonly string[], isDryRun: boolean): number {
  const astGrep = loadAstGrep()
  const files = [...new Set(paths.flatMap(sourceFiles))]
  const outcomes: Outcome[] = []
  let hasFailed = false
  for (const file of files) {
    const path = relative('', file) || file
    try {
      const source = readSource(file)
      const conversion = convert(source, parserFor(astGrep, file), pactMajor(file), /\.(?:[cm]?ts|tsx)$/.test(file))
      if (conversion.text !== source) {
        if (isDryRun) print(unifiedDiff(path, source, conversion.text))
        else writeSource(file, conversion.text)
      }
      outcomes.push({ path, conversion })
    } catch (error) {
      hasFailed = true
      const place = error instanceof SyntaxProblem ? `${path}:${error.line}:${error.column}` : path
      process.stderr.write(`${place}: ${error instanceof Error ? error.message : error}. The file was not changed.\n`)
    }
  }
  print(summary(outcomes, paths, isDryRun))
  return hasFailed ? 1 : 0
}

function summary(outcomes: readonly Outcome[], paths: readonly string[], isDryRun: boolean): string {
  const changed = outcomes.filter(({ conversion }) => conversion.converted.length > 0)
  const converted = changed.reduce((sum, { conversion }) => sum + conversion.converted.length, 0)
  const todos = outcomes.flatMap(({ path, conversion }) => placesOf(path, conversion.text))
  const lines = changed.map(({ path, conversion }) => `  ${path}: ${count(conversion.converted.length, 'place')}`)
  if (changed.length === 0) lines.push(`Nothing to convert in ${paths.join(', ')}`)
  else
    lines.unshift(
      `${isDryRun ? 'Would convert' : 'Converted'} ${count(converted, 'place')} in ${count(changed.length, 'file')}:`,
    )
  if (todos.length > 0)
    lines.push(`Remaining: ${count(todos.length, 'place')}, each marked with ${TODO.trim()}`, ...todos)
  if (changed.length > 0 && !isDryRun) {
    lines.push('Next: review the changes, and run your formatter and your tests.')
    if (todos.length === 0) lines.push('Then remove pact-js: npm uninstall @pact-foundation/pact')
  }
  return `${lines.join('\n')}\n`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Returns the instructions in a converted file, each with its line number. */
function placesOf(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const found = line.trim()
    return found.startsWith(TODO) ? [`  ${path}:${at + 1}: ${found.slice(TODO.length)}`] : []
  })
}

function print(text: string): 0 {
  process.stdout.write(text)
  return 0
}

function fail(message: string): 2 {
  process.stderr.write(`${message}\n`)
  return 2
}
