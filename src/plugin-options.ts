import { refuseCall } from './arguments.js'
import { present } from './made.js'
import { tagOf } from './template.js'

/** A plugin that a contract uses: its name, and the least version that will do. */
export interface PluginReference {
  readonly plugin: string
  /** An installed version that is the same or later serves; the highest does. Default: any. */
  readonly version?: string | undefined
}

/** Where plugins are, and how long they are waited for. */
export interface PluginOptions {
  /**
   * Directories that hold plugins, one directory with a `pact-plugin.json` for each. Default: those of the environment variable
   * CONTRACT_PLUGIN_DIR, else of PACT_PLUGIN_DIR, else `.pact/plugins` in the home directory.
   */
  readonly directories?: readonly (string | URL)[] | undefined
  /** Milliseconds that a plugin may take to start. Default: CONTRACT_PLUGIN_START_TIMEOUT, else 60000. */
  readonly startTimeout?: number | undefined
  /** Milliseconds that a plugin may take for one answer. Default: 30000. */
  readonly timeout?: number | undefined
}

/** @internal The arguments of `usingPlugin` as the core takes them. */
export function pluginData(call: string, plugin: unknown): Record<string, unknown> {
  if (tagOf(plugin) !== 'Object') refuseCall(call, `expected { plugin, version }, got ${tagOf(plugin)}`)
  return present(plugin as Record<string, unknown>)
}
