// `npm run lint:rust`: checks the format and runs clippy on all targets. Compiles the tests and shares artifacts with them.
import { fileURLToPath } from 'node:url'
import { cargoBuild } from './lib/cargo.mjs'
import { run, StepFailed } from './lib/run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
try {
  await run('cargo', ['fmt', '--all', '--check'], { cwd: root })
  await cargoBuild(root, ['test', '--workspace', '--all-targets', '--no-run'], { strict: true })
} catch (error) {
  if (!(error instanceof StepFailed)) throw error
  console.error(error.message)
  process.exit(1)
}
