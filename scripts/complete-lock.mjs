// `complete-lock.mjs [FOLDER]`: run it after `npm install` if `npm ci` then prints "Missing: … from lock file". This
// happens behind a registry mirror without the packages of other platforms: npm omits them from package-lock.json,
// and rejects a lock file without them. The script adds them from the dependencies of their parents, without checksums.
// An `npm install` with the public registry adds the checksums.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/project.mjs'

const path = join(root, process.argv[2] ?? '.', 'package-lock.json')
const lock = JSON.parse(readFileSync(path, 'utf8'))

for (const [parent, { optionalDependencies = {}, license }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`
    if (lock.packages[place] || lock.packages[`${parent}/${place}`]) continue
    lock.packages[place] = { version, ...platformOf(name), dev: true, license, optional: true }
    console.log(`added ${name} ${version}`)
  }
}

const [own, ...rest] = Object.entries(lock.packages)
rest.sort(([a], [b]) => a.localeCompare(b, 'en'))
lock.packages = Object.fromEntries([own, ...rest])
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)

/** The platform is taken from the name, which all of these packages contain. */
function platformOf(name) {
  const os = /android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|aix|win32/.exec(name)?.[0]
  const cpu = /wasm32|arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64|mips64el/.exec(name)?.[0]
  if (!cpu) throw new Error(`${name} does not contain a platform. Add the package to package-lock.json manually.`)
  const libc = os === 'linux' ? /musl|gnu/.exec(name)?.[0].replace('gnu', 'glibc') : undefined
  return { ...(os && { os: [os] }), cpu: [cpu], ...(libc && { libc: [libc] }) }
}
