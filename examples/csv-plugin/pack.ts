import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { buildSync } from 'esbuild'

/** Creates the plugin directory for `contract plugin install`, and returns its parent directory. */
export function pack(): string {
  const directory = mkdtempSync(join(tmpdir(), 'csv-plugin-'))
  const entry = join(directory, 'plugin.mjs')
  const source = join(__dirname, 'plugin.ts')
  buildSync({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@contract-testing/plugin'],
    outfile: entry,
  })
  packPlugin({ name: 'csv-example', version: '1.0.0', entry, directory })
  return directory
}
