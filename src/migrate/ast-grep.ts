// Loads ast-grep, which is not a dependency of this package because only this command requires it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Parse } from './convert.js'
import { type ParsedNode, Syntax } from './syntax.js'

interface AstGrep {
  readonly Lang: Readonly<Record<'JavaScript' | 'TypeScript' | 'Tsx', string>>
  parse(language: string, source: string): { root(): ParsedNode & { find(rule: object): ParsedNode | null } }
}

const MISSING = `migrate: @ast-grep/napi is not installed. This command requires it to parse your files.
  Install it, and run the command again:
    npm install --save-dev @ast-grep/napi`

/**
 * Loads ast-grep from the project in the current directory. Throws an error with instructions if it is not installed
 * there.
 */
export function loadAstGrep(): AstGrep {
  let file: string
  try {
    file = require.resolve('@ast-grep/napi', { paths: [process.cwd(), __dirname] })
  } catch {
    throw new Error(MISSING)
  }
  let loaded: Partial<AstGrep>
  try {
    loaded = require(file) as Partial<AstGrep>
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new Error(`migrate: @ast-grep/napi could not be loaded: ${reason}\n  Delete node_modules and install again.`)
  }
  if (typeof loaded.parse !== 'function' || loaded.Lang?.Tsx === undefined) {
    throw new Error(
      `migrate: version ${versionOf(file)} of @ast-grep/napi is not supported. Install version 0.51 or later.`,
    )
  }
  return loaded as AstGrep
}

function versionOf(file: string): string {
  try {
    return (JSON.parse(readFileSync(join(file, '..', 'package.json'), 'utf8')) as { version: string }).version
  } catch {
    return 'unknown'
  }
}

/** Returns a parser for files with this extension. */
export function parserFor(astGrep: AstGrep, path: string): Parse {
  const { JavaScript, TypeScript, Tsx } = astGrep.Lang
  const language = /\.tsx$/.test(path) ? Tsx : /\.[cm]?ts$/.test(path) ? TypeScript : JavaScript
  return (source) => {
    const root = astGrep.parse(language, source).root()
    const error = root.find({ rule: { kind: 'ERROR' } })
    if (error !== null) {
      const { index } = error.range().start
      const lines = source.slice(0, index).split('\n')
      throw new SyntaxProblem(lines.length, (lines.at(-1) ?? '').length + 1)
    }
    return new Syntax(root, source)
  }
}

/** Thrown if a file cannot be parsed. */
export class SyntaxProblem extends Error {
  constructor(
    readonly line: number,
    readonly column: number,
  ) {
    super('syntax error')
  }
}
