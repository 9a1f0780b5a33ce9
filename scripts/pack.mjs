// Writes the tarballs of the package and of its platform packages to a directory: `pack.mjs [--local] DIR`. With
// --local, only the platform of this machine is packed, as it was built here, and with --platform NAME (repeatable) only that platform;
// otherwise all platforms, as the release workflow has collected them. Quick builds are for tests and are packed only with --quick. All other builds must not
// exceed the maximum size. The published package is assembled in a separate directory, because it lists its platform packages
// as optional dependencies. The package.json of the checkout must not list them: `npm ci` would request packages that
// are not published.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { manifest, nativeFiles, noticesFile, platformBy, platforms, quickBuildMark, root } from './lib/project.mjs'
import { sbomFile, sbomText } from './lib/sbom.mjs'

/** The maximum size of the native files in MiB: an installation has at most 28 MiB with JavaScript (docs/decisions/0019). */
const LARGEST = 26

const { values, positionals } = parseArgs({
  options: { local: { type: 'boolean' }, platform: { type: 'string', multiple: true }, quick: { type: 'boolean' } },
  allowPositionals: true,
})
if (positionals.length !== 1) {
  console.error('Usage: npm run pack:local -- DIR')
  process.exit(2)
}
const destination = resolve(positionals[0])
mkdirSync(destination, { recursive: true })

const packed = await selected()
requireBuilt(packed)
if (!values.quick) requireRelease(packed)
// The package itself is packed and printed last, which is the order of publication.
for (const platform of packed) packPlatform(platform)
packPlugin()
packMain(packed)

function packMain(optional) {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _devDependencies,
    napi: _napi,
    workspaces: _workspaces,
    ...published
  } = manifest
  published.optionalDependencies = Object.fromEntries(optional.map((p) => [p.packageName, manifest.version]))
  pack((folder) => {
    for (const file of mainFiles()) cpSync(join(root, file), join(folder, file))
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  })
}

function packPlatform(platform) {
  const files = nativeFiles(platform)
  pack((folder) => {
    for (const file of [...files, 'package.json']) cpSync(join(root, 'npm', platform.name, file), join(folder, file))
    // Artifacts of a workflow have lost their file modes.
    for (const file of files) chmodSync(join(folder, file), 0o755)
    for (const file of ['LICENSE', noticesFile]) cpSync(join(root, file), join(folder, file))
    writeFileSync(join(folder, sbomFile), sbomText())
  })
}

/** The package for plugin authors, in a separate directory, because users of contracts do not need it. */
function packPlugin() {
  const source = join(root, 'packages', 'plugin')
  const { private: _private, devDependencies: _devDependencies, ...published } = readJson(join(source, 'package.json'))
  pack(
    (folder) => {
      for (const file of published.files) cpSync(join(source, file), join(folder, file), { recursive: true })
      cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
      writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    },
    join(destination, 'plugin'),
  )
}

/** The files of the package, from the patterns in `files` as npm reads them. */
function mainFiles() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent']
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' })
  return JSON.parse(text)[0].files.map(({ path }) => path)
}

/** Packs the directory that `fill` has filled. */
function pack(fill, into = destination) {
  mkdirSync(into, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'contract-pack-'))
  try {
    fill(folder)
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', into]
    const name = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' })
    // The output lists the tarballs that users install.
    if (into === destination) console.log(join(into, name.trim()))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds everything before packing the first one, so that no release is incomplete. */
function requireBuilt(platforms) {
  const native = platforms.flatMap((platform) => nativeFiles(platform).map((file) => join('npm', platform.name, file)))
  const named = manifest.files.filter((file) => !/^!|\*/.test(file))
  const missing = [...named, 'packages/plugin/dist', noticesFile, ...native].filter(
    (file) => !existsSync(join(root, file)),
  )
  if (missing.length === 0) return
  console.error(`Nothing was packed, because files are missing (npm run build):\n${missing.join('\n')}`)
  process.exit(1)
}

/** Checks the size, and that the files are from a release build. */
function requireRelease(platforms) {
  const problems = platforms.flatMap((platform) => {
    if (existsSync(quickBuildMark(platform))) {
      const reason = readFileSync(quickBuildMark(platform), 'utf8').trim() || 'a development build'
      return [`npm/${platform.name} must not be released (${reason}). Run: npm run build:release`]
    }
    const size = nativeFiles(platform).reduce((sum, file) => sum + mebibytes('npm', platform.name, file), 0)
    return [
      ...(existsSync(join(root, 'dist', 'engine-wasm.cjs'))
        ? []
        : ['dist/engine-wasm.cjs is missing. Run: npm run build:wasm']),
      ...(size > LARGEST
        ? [`npm/${platform.name}: library and executable have ${size.toFixed(1)} MiB; the maximum is ${LARGEST} MiB`]
        : []),
    ]
  })
  if (problems.length === 0) return
  console.error(`Nothing was packed:\n${problems.join('\n')}`)
  process.exit(1)
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function mebibytes(...path) {
  return statSync(join(root, ...path)).size / 2 ** 20
}

async function selected() {
  if (values.platform !== undefined) return values.platform.map((name) => platformBy('name', name))
  return values.local ? [await thisPlatform()] : platforms
}

/** Detects the platform like the package, because the workflow that tests packages has no Rust. */
async function thisPlatform() {
  requireBuilt([])
  const { default: launch } = await import('../dist/launch.cjs')
  return platformBy('name', launch.currentPlatform().name)
}
