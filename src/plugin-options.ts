import { refuseCall } from './arguments.js'
import { present } from './made.js'
import { tagOf } from './template.js'

/** A plugin that a contract uses: its name, and the least version that will do. */
export interface PluginReference {
  readonly plugin: string
  /** An installed version that is the same or later serves; the highest does. Default: any. */
  readonly version?: string | undefined
}

/** @internal The arguments of `usingPlugin` as the core takes them. */
export function pluginData(call: string, plugin: unknown): Record<string, unknown> {
  if (tagOf(plugin) !== 'Object') refuseCall(call, `expected { plugin, version }, got ${tagOf(plugin)}`)
  return present(plugin as Record<string, unknown>)
}
