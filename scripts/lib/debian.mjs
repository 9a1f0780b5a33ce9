// Unpacks Debian packages into a directory, for programs of another architecture or C library. Nothing is installed on this machine.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StepFailed } from './run.mjs'

/** Installs packages on this machine if `path` does not exist. */
export function installPackages(path, packages) {
  if (existsSync(path)) return
  const options = { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  try {
    execFileSync('apt-get', ['update', '-qq'], options)
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options)
  } catch (error) {
    throw new StepFailed(`apt-get could not install ${packages.join(', ')}: ${error.message}`)
  }
}

/**
 * Downloads packages for an architecture and unpacks them into `folder`/root, which it returns. `suite` is a Debian release;
 * default: that of this machine. apt keeps its lists apart from those of this machine.
 */
export function unpackPackages(folder, { architecture, packages, suite }) {
  const root = join(folder, 'root')
  if (existsSync(root)) return root
  for (const part of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true })
  const settings = {
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::State::status': '/dev/null',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    ...(suite !== undefined && sourcesOf(folder, suite)),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...args) => execFileSync('apt-get', [...options, '-qq', ...args], { cwd: folder, stdio: 'pipe' })
  apt('update')
  apt('download', ...packages)
  const archives = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  if (archives.length < packages.length) throw new StepFailed(`apt did not download ${packages.join(', ')}`)
  try {
    for (const name of archives) execFileSync('dpkg', ['-x', name, root], { cwd: folder })
    // Since Debian 13, packages rely on the link that an installed system has.
    if (!existsSync(join(root, 'lib'))) symlinkSync('usr/lib', join(root, 'lib'))
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
  return root
}

/** Settings with which apt reads packages of another Debian release from the mirror of this machine. */
function sourcesOf(folder, suite) {
  const format = [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    'Origin: Debian',
    'Component: main',
  ]
  const [mirror] = execFileSync('apt-get', format, { encoding: 'utf8' }).split('\n')
  if (!mirror) throw new StepFailed('apt-get knows no mirror of Debian')
  const file = join(folder, 'sources.list')
  writeFileSync(file, `deb ${mirror} ${suite} main\n`)
  return { 'Dir::Etc::sourcelist': file, 'Dir::Etc::sourceparts': '/dev/null' }
}
