/**
 * Functions for plugins in TypeScript. `definePlugin` starts a plugin that works with any tool that supports the Pact plugin
 * interface. `packPlugin` creates the plugin directory to install.
 *
 * @module @contract-testing/plugin
 */

import { Buffer } from 'node:buffer'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PluginServer } from './server.js'
import { services } from './services.js'

/** A JSON value that is passed to or from a plugin. All numbers are doubles. */
export type PluginJson =
  | null
  | boolean
  | number
  | string
  | readonly PluginJson[]
  | { readonly [name: string]: PluginJson }
/** A JSON object that is passed to or from a plugin. */
export type PluginObject = { readonly [name: string]: PluginJson }

/** A body with its content type. */
export interface PluginBody {
  readonly contentType: string
  /** The bytes of the body. `undefined` means no body. An empty array means an empty body. */
  readonly content?: Uint8Array | undefined
}

/** A matching rule: `type` is its name, and `values` its attributes. */
export interface PluginRule {
  readonly type: string
  readonly values?: PluginObject | undefined
}

/** A generator: `type` is its name, and `values` its attributes. */
export type PluginGenerator = PluginRule

/** A request, response, or message that a plugin creates for an interaction. */
export interface PluginPart {
  readonly contents: {
    readonly contentType: string
    readonly content: Uint8Array | string
    /** How contract files store the contents. Only required if the content type does not determine it. */
    readonly hint?: 'text' | 'binary' | undefined
  }
  /** Matching rules by path, such as `$.items`. A value must satisfy all rules at its path. */
  readonly rules?: Readonly<Record<string, readonly PluginRule[]>> | undefined
  /** Generators by path, such as `$.id`. */
  readonly generators?: Readonly<Record<string, PluginGenerator>> | undefined
  /**
   * Metadata of a message. `metadataRules` and `metadataGenerators` contain rules and generators for the same keys.
   */
  readonly metadata?: PluginObject | undefined
  readonly metadataRules?: Readonly<Record<string, readonly PluginRule[]>> | undefined
  readonly metadataGenerators?: Readonly<Record<string, PluginGenerator>> | undefined
  /**
   * Data that the contract stores with the interaction. The host passes it to every plugin call for this interaction.
   */
  readonly interactionConfiguration?: PluginObject | undefined
  /** A description of the interaction for people. Default for `type`: `markdown`. */
  readonly markup?: { readonly text: string; readonly type?: 'markdown' | 'html' | undefined } | undefined
}

/** The result of `configure`: one part, or a request with its responses. */
export type PluginConfigured = (
  | PluginPart
  | { readonly request?: PluginPart; readonly response?: PluginPart | readonly PluginPart[] }
) & {
  /** Data that the contract stores once for all its interactions. */
  readonly contractConfiguration?: PluginObject | undefined
}

/** A difference between expected and actual contents. */
export interface PluginMismatch {
  /** The location of the difference, preferably as a path expression such as `$.items[0]`. */
  readonly path: string
  /** A description of the difference in one sentence. */
  readonly message: string
  readonly expected?: Uint8Array | string | undefined
  readonly actual?: Uint8Array | string | undefined
  /** A diff of the expected and the actual value. Omit it if there is none. */
  readonly diff?: string | undefined
  /** The part of the message that differs, such as `body` or `header`. Default: `body`. */
  readonly part?: string | undefined
}

/** Data that the plugin stored in the contract, and data about the test. */
export interface PluginContext {
  readonly interactionConfiguration: PluginObject
  readonly contractConfiguration: PluginObject
  readonly testContext: PluginObject
}

/** The content types that a plugin supports, and the functions for them. */
export interface PluginContents {
  /**
   * Regular expressions, each of which must match a whole content type without its parameters. Escape literal
   * characters: `application/hal\\+json`.
   */
  readonly types: readonly string[]
  /** Creates the parts of an interaction from the first argument of `withPluginContents`. */
  configure(
    contents: PluginObject,
    context: { readonly contentType: string; readonly testContext: PluginObject },
  ): Async<PluginConfigured>
  /**
   * Returns the mismatches, or an empty array if the contents match. A string is a mismatch that concerns the whole
   * body.
   */
  compare(
    comparison: PluginComparison,
  ): Async<readonly (PluginMismatch | string)[] | { readonly expectedType: string; readonly actualType: string }>
  /** Returns the contents with generated values in place of the example values. */
  generate?(generation: PluginGeneration): Async<PluginPart['contents']>
}

/** The arguments of `compare`. */
export interface PluginComparison extends PluginContext {
  readonly expected: PluginBody
  readonly actual: PluginBody
  /** True if the actual contents may contain more than the expected contents. */
  readonly allowUnexpected: boolean
  readonly rules: Readonly<Record<string, readonly PluginRule[]>>
}

/** The arguments of `generate`. */
export interface PluginGeneration extends PluginContext {
  readonly contents: PluginBody
  readonly generators: Readonly<Record<string, PluginGenerator>>
  readonly mode: 'consumer' | 'provider' | 'unknown'
  readonly part: 'request' | 'response'
}

/** A value to compare with a matching rule of the plugin (interface version 2). */
export interface PluginField extends PluginContext {
  readonly rule: PluginRule
  readonly path: string
  /** The part of the message that contains the value, such as `body` or `header`. */
  readonly part: string
  readonly expected: PluginJson
  readonly actual: PluginJson
  /** True if the actual value is a number with a fraction, even `.0`, which JavaScript does not preserve. */
  readonly isDecimal: boolean
}

/** A value to generate with one of the plugin's generators (interface version 2). */
export interface PluginFieldGeneration extends PluginContext {
  readonly generator: PluginGenerator
  readonly path: string
  readonly example: PluginJson
  readonly mode: 'consumer' | 'provider' | 'unknown'
}

/**
 * An interaction that uses the plugin's transport. In interface version 2, it contains only data that the plugin
 * stored.
 */
export interface PluginInteraction {
  readonly kind: string
  readonly interactionConfiguration: PluginObject
  readonly contractConfiguration: PluginObject
  readonly consumer: string
  readonly provider: string
  /** The interaction in the format of contract files. `undefined` in interface version 2. */
  readonly interaction?: PluginObject | undefined
}

/** The mock server's result for one request that it received, or for one expected request that it did not receive. */
export interface PluginResult {
  readonly path: string
  readonly error?: string | undefined
  readonly mismatches?: readonly PluginMismatch[] | undefined
}

/** A running mock server of a plugin. */
export interface RunningTransport {
  readonly host?: string | undefined
  readonly port: number
  /** Returns the results so far. `ok` is true if all requests matched and none is missing. */
  results(): Async<{ readonly ok: boolean; readonly results: readonly PluginResult[] }>
  stop(): Async<void>
}

/** The content and metadata of a request or response. */
export interface PluginData {
  readonly body: PluginBody
  readonly metadata: Readonly<Record<string, PluginJson | Uint8Array>>
}

/** How to reach the provider that is being verified. */
export interface PluginProvider {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly config: PluginObject
  readonly testContext: PluginObject
}

/** A protocol that a plugin implements. */
export interface PluginTransport {
  /** The name by which interactions refer to the transport, such as `grpc`. */
  readonly name: string
  /** Starts a mock server for the given interactions. */
  start(server: {
    readonly host: string
    /** The port to listen on. 0 means any free port. */
    readonly port: number
    readonly interactions: readonly PluginInteraction[]
    readonly testContext: PluginObject
  }): Async<RunningTransport>
  /** Creates the request for an interaction. The host can change it before it passes it to `verify`. */
  prepare(interaction: PluginInteraction, provider: PluginProvider): Async<PluginData>
  /** Sends the request to the provider and compares the response with the interaction. */
  verify(
    interaction: PluginInteraction,
    provider: PluginProvider,
    request: PluginData,
  ): Async<{
    readonly mismatches?: readonly PluginMismatch[] | undefined
    readonly errors?: readonly string[] | undefined
    readonly response?: PluginData | undefined
    /** Lines that the host prints. */
    readonly output?: readonly string[] | undefined
  }>
}

/** A value, or a promise that resolves with it. */
export type Async<T> = T | Promise<T>

/** The functions of a plugin. Errors that a function throws are returned to the host. */
export interface PluginDefinition {
  /** The content types that the plugin supports. Omit it if there are none. */
  readonly contents?: PluginContents | readonly PluginContents[] | undefined
  /**
   * Functions that compare a value with a matching rule, by the rule's name. A returned string describes a mismatch;
   * `undefined` means that the value matches.
   */
  readonly matchers?:
    | Readonly<Record<string, (field: PluginField) => Async<string | readonly PluginMismatch[] | undefined>>>
    | undefined
  /** Functions that generate a value, by the generator's name. */
  readonly generators?: Readonly<Record<string, (field: PluginFieldGeneration) => Async<PluginJson>>> | undefined
  readonly transport?: PluginTransport | undefined
}

/** A running plugin, to which a host can connect. */
export interface RunningPlugin {
  readonly port: number
  /** The value that callers must send in the `authorization` header. */
  readonly serverKey: string
  stop(): Promise<void>
}

/**
 * Starts a plugin. It serves both versions of the plugin interface on a free port of 127.0.0.1, and prints the port to standard
 * output for the host. The process runs until the host stops it.
 *
 * @example
 * import { definePlugin } from '@contract-testing/plugin'
 * await definePlugin({
 *   contents: {
 *     types: ['text/csv'],
 *     configure: (contents, { contentType }) => ({ contents: { contentType, content: toCsv(contents) } }),
 *     compare: ({ expected, actual }) => mismatches(expected.content, actual.content),
 *   },
 * })
 * @throws {TypeError} if the argument is not an object
 */
export async function definePlugin(definition: PluginDefinition): Promise<RunningPlugin> {
  if (typeof definition !== 'object' || definition === null)
    throw new TypeError('definePlugin: expected an object of functions')
  const served = services(definition)
  const server = new PluginServer(served)
  const port = await server.listen()
  process.stdout.write(`${JSON.stringify({ port, serverKey: server.key })}\n`)
  return {
    port,
    serverKey: server.key,
    stop: async () => {
      await served.stop()
      server.close()
    },
  }
}

/** Options for `packPlugin`. */
export interface PackOptions {
  readonly name: string
  /** The plugin's version in semantic versioning format, such as `1.0.0`. */
  readonly version: string
  /**
   * The JavaScript module that calls `definePlugin`. It can import `@contract-testing/plugin` and Node's built-in
   * modules. All other modules must be bundled.
   */
  readonly entry: string | URL
  /** The directory in which the plugin directory is created. The plugin directory is named `NAME-VERSION`. */
  readonly directory: string | URL
  /**
   * The version of the plugin interface. Matchers and generators require version 2. Default: 1, which all hosts
   * support.
   */
  readonly interfaceVersion?: 1 | 2 | undefined
  /** Command line arguments with which the host starts the plugin. */
  readonly args?: readonly string[] | undefined
  /** Additional files and directories, which are copied to the directory of the entry. */
  readonly files?: readonly (string | URL)[] | undefined
}

/**
 * Creates a plugin directory with the manifest, a start script for Node, and all required files.
 *
 * @returns the path of the directory
 * @throws {TypeError} if the name, the version, or the entry is invalid
 */
export function packPlugin(options: PackOptions): string {
  const { name, version, interfaceVersion = 1, args = [], files = [] } = options
  if (!/^[\w.+ -]+$/.test(`${name}${version}`))
    throw new TypeError(
      `packPlugin: name "${name}" and version "${version}" may contain only ASCII letters, digits, spaces, and the characters . _ + -`,
    )
  const entry = pathOf(options.entry)
  if (!existsSync(entry)) throw new TypeError(`packPlugin: entry ${entry} does not exist`)
  const folder = join(pathOf(options.directory), `${name}-${version}`)
  const library = join(folder, 'node_modules', '@contract-testing', 'plugin')
  mkdirSync(library, { recursive: true })
  copyFileSync(entry, join(folder, basename(entry)))
  for (const file of files.map(pathOf)) {
    cpSync(file, join(folder, basename(file)), { recursive: statSync(file).isDirectory() })
  }
  // The plugin requires only this module, so no packages need to be installed.
  copyFileSync(fileOfThisModule(), join(library, 'index.cjs'))
  json(join(library, 'package.json'), { name: '@contract-testing/plugin', main: './index.cjs' })
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

/** Returns the path of this module's CommonJS bundle. */
function fileOfThisModule(): string {
  return __filename
}

function json(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

function pathOf(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path
}

/** Returns contents as bytes. A string is encoded as UTF-8. */
export function bytes(content: Uint8Array | string | undefined): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : (content ?? new Uint8Array())
}

/** Decodes a body as UTF-8 text. Returns an empty string if there is no body. */
export function text(body: PluginBody): string {
  return Buffer.from(bytes(body.content)).toString('utf8')
}
