// Checks that the generated code of the plugin interface is up to date.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, StepFailed } from './run.mjs'

/** Generates the code into a separate folder and compares it. */
export async function checkPluginWire(root) {
  const plugins = join(root, 'crates', 'plugins')
  const manifest = join(plugins, 'proto', 'generate', 'Cargo.toml')
  const out = mkdtempSync(join(tmpdir(), 'plugin-wire-'))
  try {
    await run('cargo', ['run', '--quiet', '--manifest-path', manifest, '--', out], { cwd: root })
    for (const name of ['v1.rs', 'v2.rs']) {
      const [generated, committed] = [join(out, name), join(plugins, 'src', 'wire', name)].map((path) =>
        readFileSync(path, 'utf8'),
      )
      if (generated === committed) continue
      throw new StepFailed(`crates/plugins/src/wire/${name} is out of date. Run: cargo run --manifest-path ${manifest}`)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
