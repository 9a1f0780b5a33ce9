// Other Pact implementations that the partner tests use. They are not development dependencies, because most
// contributors never run these tests, and pact-js alone has 47 MiB and 137 packages.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, StepFailed } from './run.mjs'
import { sbomFile, sbomText } from './sbom.mjs'

/** Exact versions, because their behavior is tested. 16 is the last version that runs on Node 20. */
const partners = {
  '@grpc/grpc-js': '1.14.7',
  '@grpc/proto-loader': '0.8.1',
  '@pact-foundation/pact': '16.5.0',
  '@pact-foundation/pact-cli': '18.1.2',
  'axe-core': '4.14.1',
  'jest-pact': '0.13.0',
  mocha: '12.0.3',
  // A second version of pact-js: the first one that supports version 2 of the plugin interface. It works with Node 20,
  // although it requires 22.
  'pact-core-20': 'npm:@pact-foundation/pact-core@20.2.0',
  'playwright-core': '1.65.1',
  pyright: '1.1.414',
  vitest: '4.1.12',
}
const pythonPartner = { name: 'pact-python', version: '4.2.0' }
/** Finds mistakes in workflows that would make a release insecure. */
const workflowLinter = { name: 'zizmor', version: '1.32.0' }
/** Validates documents of CycloneDX. */
const sbomValidator = { name: 'cyclonedx-python-lib', version: '11.12.0', extras: '[json-validation]' }

/** Installs them into .tmp/partners if necessary. */
export async function installPartners(root) {
  const folder = join(root, '.tmp', 'partners')
  await installPackages(folder)
  await installPython(folder)
  await installChromium()
}

/** Finds a browser for the tests of Playwright, whose own download might not be accessible. */
async function installChromium() {
  if (existsSync('/usr/bin/chromium') || process.platform !== 'linux') return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await run('apt-get', ['update', '-qq'], { env })
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env })
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof StepFailed)) throw error
    throw new StepFailed(
      'The contract/playwright tests require /usr/bin/chromium. Install it, for example with `apt-get install chromium`',
    )
  }
}

/** Checks the workflows of GitHub Actions, without a network. */
export async function checkWorkflows(root) {
  const folder = join(root, '.tmp', 'partners', 'workflows')
  mkdirSync(folder, { recursive: true })
  await installPython(folder, workflowLinter)
  const linter = join(folder, 'python', process.platform === 'win32' ? 'Scripts/zizmor.exe' : 'bin/zizmor')
  await run(linter, ['--offline', '--min-severity', 'medium', join(root, '.github', 'workflows')])
}

/** Validates the list of crates against the schema of CycloneDX. */
export async function checkSbom(root) {
  const folder = join(root, '.tmp', 'partners', 'sbom')
  mkdirSync(folder, { recursive: true })
  const python = await installPython(folder, sbomValidator)
  const file = join(folder, sbomFile)
  writeFileSync(file, sbomText())
  await run(python, [join(root, 'scripts', 'lib', 'validate-sbom.py'), file])
}

/** Installs a Python package in a separate environment, and returns the interpreter of the environment. */
async function installPython(folder, { name, version, extras = '' } = pythonPartner) {
  const environment = join(folder, 'python')
  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  if (existsSync(python)) {
    const { stdout } = spawnSync(python, ['-m', 'pip', 'show', name], { encoding: 'utf8' })
    if (stdout?.includes(`Version: ${version}`)) return python
  }
  try {
    await run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', environment])
    await run(python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `${name}${extras}==${version}`,
    ])
    return python
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof StepFailed)) throw error
    throw new StepFailed(
      `${name} ${version} could not be installed into .tmp/partners/python. It requires Python 3.10 or later with venv, and access to PyPI. The lines above show the cause.`,
    )
  }
}

async function installPackages(folder) {
  if (Object.entries(partners).every(([name, version]) => installed(folder, name) === version.split('@').at(-1))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: partners }, null, 2))
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    const names = Object.entries(partners).map((partner) => partner.join('@'))
    throw new StepFailed(
      `The partners could not be installed (${names.join(', ')}, into .tmp/partners). The installation requires access to the npm registry. The lines above show the cause.`,
    )
  }
}

function installed(folder, name) {
  const file = join(folder, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}
