// `npm run bench:plugins`: measures a comparison by a plugin and a bare call of the same plugin, in a release build.
// Requires an idle machine for one minute after the build.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run, StepFailed } from './lib/run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

try {
  // Cargo reports the path, because users can configure another target directory.
  const plugin = ['build', '--release', '-p', 'contract-plugins', '--bin', 'fixture-plugin', '--message-format', 'json']
  const messages = execFileSync('cargo', plugin, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const built = messages.split('\n').filter((line) => line.includes('"executable":"'))
  const { executable } = JSON.parse(built.at(-1))
  await run('cargo', ['bench', '-q', '-p', 'contract', '--bench', 'plugin_comparison'], {
    cwd: root,
    env: { ...process.env, CONTRACT_FIXTURE_PLUGIN: executable },
  })
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exit(1)
}
