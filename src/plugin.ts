/**
 * Plugins written in TypeScript: `definePlugin` serves an object of functions to any tool that speaks the Pact plugin
 * interface, `packPlugin` makes the directory that is installed.
 *
 * @packageDocumentation
 */

import { Buffer } from 'node:buffer'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GrpcServer } from './plugin/grpc.js'
import { first, second } from './plugin/messages.js'
import { type ServedDefinition, services } from './plugin/services.js'

/** A value of JSON, as plugins get it: numbers are doubles. */
export type PluginJson =
  | null
  | boolean
  | number
  | string
  | readonly PluginJson[]
  | { readonly [name: string]: PluginJson }
/** An object of JSON. */
export type PluginObject = { readonly [name: string]: PluginJson }

/** Contents with their type. */
export interface PluginBody {
  readonly contentType: string
  /** Absent: there is no body. Empty: a body without bytes. */
  readonly content?: Uint8Array | undefined
}

/** A matching rule: its name and its attributes. */
export interface PluginRule {
  readonly type: string
  readonly values?: PluginObject | undefined
}

/** A generator: its name and its attributes. */
export type PluginGenerator = PluginRule

/** One part of an interaction, as a plugin makes it. */
export interface PluginPart {
  readonly contents: {
    readonly contentType: string
    readonly content: Uint8Array | string
    /** How files write it, where the type does not tell. */
    readonly hint?: 'text' | 'binary' | undefined
  }
  /** By path; all rules of a path must hold. */
  readonly rules?: Readonly<Record<string, readonly PluginRule[]>> | undefined
  readonly generators?: Readonly<Record<string, PluginGenerator>> | undefined
  /** Metadata of a message, with rules and generators by its names. */
  readonly metadata?: PluginObject | undefined
  readonly metadataRules?: Readonly<Record<string, readonly PluginRule[]>> | undefined
  readonly metadataGenerators?: Readonly<Record<string, PluginGenerator>> | undefined
  /** Kept with the interaction, and given back with each call about it. */
  readonly interactionConfiguration?: PluginObject | undefined
  /** How the interaction can be shown. */
  readonly markup?: { readonly text: string; readonly type?: 'markdown' | 'html' | undefined } | undefined
}

/** What a plugin makes of the contents that a test gives: one part, or those of a whole exchange. */
export type PluginConfigured = (
  | PluginPart
  | { readonly request?: PluginPart; readonly response?: PluginPart | readonly PluginPart[] }
) & {
  /** Kept once for the whole contract. */
  readonly contractConfiguration?: PluginObject | undefined
}

/** A difference. */
export interface PluginDifference {
  /** Where, best as a path expression. */
  readonly path: string
  /** What differs, in words. */
  readonly message: string
  readonly expected?: Uint8Array | string | undefined
  readonly actual?: Uint8Array | string | undefined
  /** Both beside each other. */
  readonly diff?: string | undefined
  /** `body` unless said otherwise. */
  readonly part?: string | undefined
}

/** What plugin and contract have kept, and what is known about the test. */
export interface PluginKept {
  readonly interactionConfiguration: PluginObject
  readonly contractConfiguration: PluginObject
  readonly testContext: PluginObject
}

/** Contents that a plugin understands. */
export interface PluginContents {
  /** Content types, without parameters: patterns of whole types, so that a `+` or a `.` that is meant stands behind a backslash. */
  readonly types: readonly string[]
  /** Makes parts of what a test gives to `withPluginContents`. */
  configure(
    contents: PluginObject,
    about: { readonly contentType: string; readonly testContext: PluginObject },
  ): Async<PluginConfigured>
  /** Returns the differences: an empty list when the contents match. A text is a difference of the whole body. */
  compare(
    comparison: PluginComparison,
  ): Async<readonly (PluginDifference | string)[] | { readonly expectedType: string; readonly actualType: string }>
  /** Fills contents in that have generators. */
  generate?(generation: PluginGeneration): Async<PluginPart['contents']>
}

/** Contents to compare. */
export interface PluginComparison extends PluginKept {
  readonly expected: PluginBody
  readonly actual: PluginBody
  /** Whether the actual contents may hold more than the expected ones. */
  readonly allowUnexpected: boolean
  readonly rules: Readonly<Record<string, readonly PluginRule[]>>
}

/** Contents to fill in. */
export interface PluginGeneration extends PluginKept {
  readonly contents: PluginBody
  readonly generators: Readonly<Record<string, PluginGenerator>>
  readonly mode: 'consumer' | 'provider' | 'unknown'
  readonly part: 'request' | 'response'
}

/** A value to compare by a rule of the plugin (second version of the interface). */
export interface PluginField extends PluginKept {
  readonly rule: PluginRule
  readonly path: string
  /** `body`, `header` and the like. */
  readonly part: string
  readonly expected: PluginJson
  readonly actual: PluginJson
  /** Whether the actual value is a number with a fraction, be it `.0`: JavaScript does not tell. */
  readonly isDecimal: boolean
}

/** A value to make (second version of the interface). */
export interface PluginFieldGeneration extends PluginKept {
  readonly generator: PluginGenerator
  readonly path: string
  readonly example: PluginJson
  readonly mode: 'consumer' | 'provider' | 'unknown'
}

/** An interaction of a transport. The first version of the interface gives the whole contract, the second what the plugin kept. */
export interface PluginInteraction {
  readonly kind: string
  readonly interactionConfiguration: PluginObject
  readonly contractConfiguration: PluginObject
  readonly consumer: string
  readonly provider: string
  /** The interaction as it stands in the contract; only in the first version. */
  readonly interaction?: PluginObject | undefined
}

/** What a mock server saw of one request, or missed. */
export interface PluginResult {
  readonly path: string
  readonly error?: string | undefined
  readonly mismatches?: readonly PluginDifference[] | undefined
}

/** A mock server that runs. */
export interface RunningTransport {
  readonly host?: string | undefined
  readonly port: number
  /** What came, and whether all was well. */
  results(): Async<{ readonly ok: boolean; readonly results: readonly PluginResult[] }>
  stop(): Async<void>
}

/** Request or response of a protocol. */
export interface PluginData {
  readonly body: PluginBody
  readonly metadata: Readonly<Record<string, PluginJson | Uint8Array>>
}

/** What is known of the provider that is verified. */
export interface PluginProvider {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly config: PluginObject
  readonly testContext: PluginObject
}

/** A protocol that a plugin speaks. */
export interface PluginTransport {
  /** Interactions name it by this. */
  readonly name: string
  /** Plays the provider. */
  start(server: {
    readonly host: string
    /** 0 is a free one. */
    readonly port: number
    readonly interactions: readonly PluginInteraction[]
    readonly testContext: PluginObject
  }): Async<RunningTransport>
  /** Makes the request of an interaction; what the host changes in it comes back to `verify`. */
  prepare(interaction: PluginInteraction, provider: PluginProvider): Async<PluginData>
  /** Sends the request and compares the answer. */
  verify(
    interaction: PluginInteraction,
    provider: PluginProvider,
    request: PluginData,
  ): Async<{
    readonly mismatches?: readonly PluginDifference[] | undefined
    readonly errors?: readonly string[] | undefined
    readonly response?: PluginData | undefined
    /** Lines for people. */
    readonly output?: readonly string[] | undefined
  }>
}

/** A value or a promise of it. */
export type Async<T> = T | Promise<T>

/** A plugin as an object of functions. What a function throws is told to whoever asked. */
export interface PluginDefinition {
  /** Contents, or several kinds of them. */
  readonly contents?: PluginContents | readonly PluginContents[] | undefined
  /** Matching rules by name: a text says what differs. */
  readonly matchers?:
    | Readonly<Record<string, (field: PluginField) => Async<string | readonly PluginDifference[] | undefined>>>
    | undefined
  /** Generators by name. */
  readonly generators?: Readonly<Record<string, (field: PluginFieldGeneration) => Async<PluginJson>>> | undefined
  readonly transport?: PluginTransport | undefined
}

/** A plugin that runs. */
export interface RunningPlugin {
  readonly port: number
  /** What callers have to send as `authorization`. */
  readonly serverKey: string
  stop(): Promise<void>
}

/**
 * Starts a plugin: serves both versions of the interface on a free port of 127.0.0.1, and says so on standard output, as hosts
 * expect it. The process lives until its host ends it.
 *
 * @example
 * import { definePlugin } from 'contract/plugin'
 * await definePlugin({
 *   contents: {
 *     types: ['text/csv'],
 *     configure: (contents, { contentType }) => ({ contents: { contentType, content: toCsv(contents) } }),
 *     compare: ({ expected, actual }) => differences(expected.content, actual.content),
 *   },
 * })
 */
export async function definePlugin(definition: PluginDefinition): Promise<RunningPlugin> {
  if (typeof definition !== 'object' || definition === null)
    throw new TypeError('definePlugin: expected an object of functions')
  const served = services(definition as ServedDefinition)
  const server = new GrpcServer({
    'io.pact.plugin.PactPlugin': { messages: first, calls: served.first },
    'io.pact.plugin.v2.PactPlugin': { messages: second, calls: served.second },
  })
  const port = await server.listen()
  process.stdout.write(`${JSON.stringify({ port, serverKey: server.key })}\n`)
  return {
    port,
    serverKey: server.key,
    stop: async () => {
      await served.stop()
      await server.close()
    },
  }
}

/** What `packPlugin` makes. */
export interface PackOptions {
  readonly name: string
  /** A semantic version. */
  readonly version: string
  /** The module that calls `definePlugin`, as JavaScript; imports of it other than `contract/plugin` and Node's own must be bundled. */
  readonly entry: string | URL
  /** Where the directory `NAME-VERSION` is made. */
  readonly directory: string | URL
  /** The version of the interface that hosts shall speak. Default: 1, which all know; matchers and generators need 2. */
  readonly interfaceVersion?: 1 | 2 | undefined
  /** Arguments for the plugin. */
  readonly args?: readonly string[] | undefined
  /** More files or directories to put beside the entry. */
  readonly files?: readonly (string | URL)[] | undefined
}

/** Makes the directory of a plugin: its manifest, a program that starts it with Node, and what it needs. Gives its path. */
export function packPlugin(options: PackOptions): string {
  const { name, version, interfaceVersion = 1, args = [], files = [] } = options
  if (!/^[\w.+ -]+$/.test(`${name}${version}`))
    throw new TypeError(`packPlugin: ${name} ${version} cannot name a directory`)
  const entry = pathOf(options.entry)
  if (!existsSync(entry)) throw new TypeError(`packPlugin: there is no file ${entry}`)
  const folder = join(pathOf(options.directory), `${name}-${version}`)
  const library = join(folder, 'node_modules', 'contract')
  mkdirSync(library, { recursive: true })
  copyFileSync(entry, join(folder, basename(entry)))
  for (const file of files.map(pathOf)) {
    cpSync(file, join(folder, basename(file)), { recursive: statSync(file).isDirectory() })
  }
  // This very module: the plugin needs no other, and nothing has to be installed beside it.
  copyFileSync(fileOfThisModule(), join(library, 'plugin.cjs'))
  json(join(library, 'package.json'), { name: 'contract', version, exports: { './plugin': './plugin.cjs' } })
  const start = join(folder, 'start')
  const quoted = `"$(dirname "$0")/${basename(entry)}"`
  writeFileSync(start, `#!/bin/sh\nexec node ${quoted} "$@"\n`)
  chmodSync(start, 0o755)
  writeFileSync(join(folder, 'start.cmd'), `@node "%~dp0${basename(entry)}" %*\r\n`)
  json(join(folder, 'pact-plugin.json'), {
    manifestVersion: 1,
    pluginInterfaceVersion: interfaceVersion,
    name,
    version,
    executableType: 'exec',
    entryPoint: 'start',
    entryPoints: { windows: 'start.cmd' },
    args,
    dependencies: [],
  })
  return folder
}

/** The bundle that this is part of is CommonJS. */
function fileOfThisModule(): string {
  return __filename
}

function json(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

function pathOf(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path
}

/** The bytes of contents, whichever way they are given. */
export function bytes(content: Uint8Array | string | undefined): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : (content ?? new Uint8Array())
}

/** The text of contents. */
export function text(body: PluginBody): string {
  return Buffer.from(bytes(body.content)).toString('utf8')
}
