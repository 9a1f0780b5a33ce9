// Builds the wheel of the Python package quickly and installs it in a separate environment.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hostTarget } from './cargo.mjs'
import { run, StepFailed } from './run.mjs'

/** Exact versions of the packages that the tests require, because their behavior is tested. */
const tools = {
  maturin: '1.16.0',
  mypy: '2.4.1',
  pytest: '9.2.0',
  'pytest-xdist': '3.8.0',
  django: '5.2.19',
  fastapi: '0.165.0',
  flask: '3.1.3',
}

/** The interpreter of the environment with the package. */
export function pythonOf(root) {
  return interpreter(join(root, '.tmp', 'python'))
}

/** Creates the environment with the tools in .tmp/python if it does not exist. */
export async function installPythonTools(root) {
  const folder = join(root, '.tmp', 'python')
  const requirements = Object.entries(tools).map((tool) => tool.join('=='))
  const note = join(folder, 'tools.txt')
  if (existsSync(note) && readFileSync(note, 'utf8') === requirements.join('\n')) return
  try {
    await run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', '--clear', folder])
    await run(interpreter(folder), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements])
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof StepFailed)) throw error
    throw new StepFailed(
      'The tools for the Python package could not be installed into .tmp/python. They require Python 3.10 or later with venv, and access to PyPI. The lines above show the cause.',
    )
  }
  writeFileSync(note, requirements.join('\n'))
}

/** Builds the wheel with the artifacts of the other development builds, and installs it. */
export async function installWheel(root) {
  const wheels = join(root, '.tmp', 'wheels')
  rmSync(wheels, { recursive: true, force: true })
  mkdirSync(wheels, { recursive: true })
  const python = pythonOf(root)
  const options = ['--profile', 'dev', '--target', hostTarget(), '--compatibility', 'linux', '--out', wheels, '--quiet']
  await run(python, ['-m', 'maturin', 'build', ...options], {
    cwd: join(root, 'python'),
    env: { ...process.env, CARGO: join(root, 'scripts', 'lib', 'cargo-for-maturin.mjs') },
  })
  const [wheel] = readdirSync(wheels)
  await neutralizeWheel(root, python, join(wheels, wheel))
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--force-reinstall']
  await run(python, [...install, join(wheels, wheel)])
}

/** Removes the paths of the build machine from the metadata of a wheel. */
export async function neutralizeWheel(root, python, wheel) {
  await run(python, [join(root, 'scripts', 'lib', 'neutral-wheel.py'), wheel, resolve(root)])
}

/** Runs both type checkers in strict mode on the package and on a test of its types. */
export async function checkPythonTypes(root) {
  const python = pythonOf(root)
  const cwd = join(root, 'python')
  await run(python, ['-m', 'mypy', 'src', 'tests/typed.py'], { cwd })
  const pyright = join(root, '.tmp', 'partners', 'node_modules', 'pyright', 'index.js')
  await run(process.execPath, [pyright, '--pythonpath', python, '--warnings'], { cwd })
}

/**
 * Tests the wheel in an environment with nothing else: its behavior, and its types as users' type checkers see them.
 */
export async function checkBareWheel(root) {
  const folder = join(root, '.tmp', 'python-bare')
  rmSync(folder, { recursive: true, force: true })
  const tools = pythonOf(root)
  const bare = interpreter(folder)
  await run(tools, ['-m', 'venv', '--without-pip', folder])
  const pip = ['-m', 'pip', '--python', bare, '--quiet', '--disable-pip-version-check']
  const [wheel] = readdirSync(join(root, '.tmp', 'wheels'))
  await run(tools, [...pip, 'install', '--no-index', join(root, '.tmp', 'wheels', wheel)])
  await run(tools, [...pip, 'check'])
  const cwd = join(folder, 'project')
  mkdirSync(cwd)
  for (const name of ['bare.py', 'typed.py']) copyFileSync(join(root, 'python', 'tests', name), join(cwd, name))
  await run(bare, ['-X', 'dev', '-W', 'error', 'bare.py', 'contracts'], { cwd })
  await run(tools, ['-m', 'mypy', '--strict', '--python-executable', bare, 'typed.py'], { cwd })
  const pyright = join(root, '.tmp', 'partners', 'node_modules', 'pyright', 'index.js')
  writeFileSync(join(cwd, 'pyrightconfig.json'), '{"include": ["typed.py"], "typeCheckingMode": "strict"}')
  await run(process.execPath, [pyright, '--pythonpath', bare, '--warnings'], { cwd })
}

function interpreter(folder) {
  return join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
}
