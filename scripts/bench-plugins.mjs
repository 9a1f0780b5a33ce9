// `npm run bench:plugins`: what a comparison by a plugin costs, beside a bare call of the same plugin, in a release build. Wants
// a machine that does nothing else for a minute; the build before takes some.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run, StepFailed } from './lib/run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

try {
  // Where Cargo puts it is Cargo's to say: people set targets of their own.
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
