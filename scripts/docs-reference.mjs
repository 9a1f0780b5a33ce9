// `npm run docs:reference`: writes the pages of the documentation that are generated from tables, from the help of the command
// line, from the JSON Schema of reports, from the results of benchmarks, and from the docstrings of the Python package. With `--check` it writes nothing, and
// fails if a page is out of date. The page for Python is skipped if Python is not installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '../docs/data/environment.mjs'
import { errorCodes } from '../docs/data/error-codes.mjs'
import { hostTarget } from './lib/cargo.mjs'
import { performancePage } from './lib/performance.mjs'
import { nativeFiles, platformBy, root } from './lib/project.mjs'

const platform = platformBy('target', hostTarget())
const executable = join(root, 'npm', platform.name, nativeFiles(platform)[1])
/** Columns of the help of commands. */
const WIDTH = 100
const pages = {
  'error-codes.md': errorCodePage(),
  'configuration.md': configurationPage(),
  'command-line.md': commandLinePage(),
  'report-json.md': reportPage(),
  '../performance.md': performancePage(),
  ...pythonPage(),
}

const stale = []
for (const [name, text] of Object.entries(pages)) {
  const path = join(root, 'docs', 'reference', name)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (read(path) !== text) stale.push(name)
}
if (stale.length > 0) {
  console.error(`docs/reference is out of date: ${stale.join(', ')}. Run: npm run docs:reference`)
  process.exitCode = 1
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function errorCodePage() {
  const parts = [
    '# Error codes',
    'Every error of this package has a stable `code`. Programs should test the code and never the message.',
    'Python uses the same codes in `error.code`, and the C interface in the error object. Error messages end with the code.',
  ]
  for (const [area, codes] of Object.entries(errorCodes)) {
    parts.push(`## ${area}`)
    for (const [code, [meaning, causes, fix]] of Object.entries(codes)) {
      const lines = [meaning, causes && `**Common causes:** ${causes}`, `**What to do:** ${fix}`].filter(Boolean)
      parts.push(`### ${code}`, lines.join('\\\n'))
    }
  }
  return `${parts.join('\n\n')}\n`
}

function configurationPage() {
  const parts = [
    '# Configuration',
    'Options are passed in code or on the command line. These environment variables apply if an option is not set.',
    'Variables of brokers are also read with the prefix `PACT_BROKER_`; the prefix `CONTRACT_BROKER_` takes precedence.',
  ]
  for (const [area, variables] of Object.entries(environment)) {
    const rows = Object.entries(variables).map(([name, text]) => `| \`${name}\` | ${text} |`)
    parts.push(`## ${area}`, ['| Variable | Meaning |', '| --- | --- |', ...rows].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}

function commandLinePage() {
  const parts = [
    '# Command line',
    'The package installs two commands, `contract` and `contract-broker`. This page contains the `--help` output of both, with all subcommands.',
  ]
  for (const program of ['contract', 'contract-broker']) addCommand([program], parts, 2)
  return `${parts.join('\n\n')}\n`
}

function addCommand(command, parts, level) {
  const help = helpOf(command)
  parts.push(`${'#'.repeat(level)} ${command.join(' ')}`, `\`\`\`text\n${help.trimEnd()}\n\`\`\``)
  for (const name of subcommands(help)) addCommand([...command, name], parts, Math.min(level + 1, 3))
}

/** The help at a fixed width. The examples at its end are not wrapped, so that they can be copied. */
function helpOf(command) {
  const [narrow, wide] = [WIDTH, 10_000].map((columns) => helpAt(command, columns))
  const [start, end] = [narrow, wide].map((help) => help.search(/^Examples?:$/m))
  if (start < 0) return narrow
  return narrow.slice(0, start) + wide.slice(end).replace(/^\S.*$/gm, wrapped)
}

function helpAt([program, ...subcommand], columns) {
  const env = { ...process.env, COLUMNS: `${columns}`, NO_COLOR: '1' }
  for (const name of Object.keys(env)) if (/^(CONTRACT|PACT)_/.test(name)) delete env[name]
  const help = execFileSync(executable, [...subcommand, '--help'], { argv0: program, encoding: 'utf8', env })
  return help.replace(/[ \t]+$/gm, '')
}

function wrapped(line) {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}

function subcommands(help) {
  const list = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help)?.[1] ?? ''
  return [...list.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help')
}

function pythonPage() {
  const script = join(root, 'scripts', 'docs-python.py')
  const python = process.platform === 'win32' ? 'python' : 'python3'
  const { error, status, stdout, stderr } = spawnSync(python, [script], { encoding: 'utf8', maxBuffer: 1 << 24 })
  if (error?.code === 'ENOENT') return {}
  if (status !== 0) throw new Error(`${script} failed: ${error ?? stderr}`)
  return { 'python-api.md': stdout.replaceAll('\r\n', '\n') }
}

function reportPage() {
  const shapes = JSON.parse(readFileSync(join(root, 'crates', 'capi', 'include', 'shapes.json'), 'utf8'))
  const names = reachable(shapes, 'VerificationReport')
  const parts = [
    '# Report JSON',
    'The report of a verification: the file that `--json-file` and `writeReport` write, and the value that `verify` returns. It has the same form in all languages. The TypeScript type is `VerificationReport`.',
    '`formatVersion` is 1. Adding fields keeps the version; removing or redefining a field increments it. Times are in milliseconds, dates in UTC.',
  ]
  for (const name of names) {
    parts.push(`## ${name}`)
    if (shapes[name].description) parts.push(shapes[name].description)
    parts.push(...shapeTables(shapes[name]))
  }
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $ref: '#/$defs/VerificationReport',
    $defs: Object.fromEntries(names.map((name) => [name, shapes[name]])),
  }
  parts.push('## JSON Schema', `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``)
  return `${parts.join('\n\n')}\n`
}

function reachable(shapes, start) {
  const names = [start]
  // The array grows while it is read.
  for (const name of names) {
    for (const [, found] of JSON.stringify(shapes[name]).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (!names.includes(found)) names.push(found)
    }
  }
  return names
}

function shapeTables(shape) {
  if (shape.enum) return [shape.enum.map((value) => `- \`${value}\``).join('\n')]
  if (shape.oneOf) return shape.oneOf.flatMap((one) => [one.description ?? '', ...shapeTables(one)].filter(Boolean))
  const rows = Object.entries(shape.properties ?? {}).map(([name, property]) => {
    const presence = shape.required?.includes(name) ? '' : ' Optional.'
    const meaning = `${property.description ?? ''}${presence}`.trim()
    return `| \`${name}\` | ${shapeType(property)} | ${meaning.replaceAll('|', '\\|')} |`
  })
  return rows.length === 0 ? [] : [['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')]
}

function shapeType(shape) {
  if (shape.$ref) {
    const name = shape.$ref.split('/').at(-1)
    return `[${name}](#${name.toLowerCase()})`
  }
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``
  if (shape.enum) return shape.enum.map((value) => `\`"${value}"\``).join(' or ')
  if (shape.anyOf) return shape.anyOf.map(shapeType).join(' or ')
  if (shape.type === 'array') return `array of ${shape.items ? shapeType(shape.items) : 'values'}`
  return shape.type ?? 'any JSON value'
}
