// Names and platforms of the project, read from package.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTriple } from '@napi-rs/cli'
import { noticesFile, root } from './root.mjs'

export { noticesFile, root }

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The prefix of the names of the platform packages. */
export const corePackage = manifest.napi.packageName

/** The platforms of the packages. `name` is a name such as `linux-x64-gnu`. */
export const platforms = manifest.napi.targets.map((target) => {
  const { platformArchABI, platform, arch, abi } = parseTriple(target)
  return {
    name: platformArchABI,
    target,
    os: platform,
    cpu: arch,
    abi,
    packageName: `${corePackage}-${platformArchABI}`,
  }
})

/** Returns the platform with this value of `key`. The error lists the known values. */
export function platformBy(key, value) {
  const found = platforms.find((platform) => platform[key] === value)
  if (!found) throw new Error(`${value} has no packages. Supported: ${platforms.map((p) => p[key]).join(', ')}`)
  return found
}

/** The native files of a platform package. */
export function nativeFiles(platform) {
  return ['contract.node', platform.os === 'win32' ? 'contract.exe' : 'contract']
}

/** An executable with the command line that needs no library, for images and as a single file. */
export function standaloneFile(platform) {
  return join(root, 'standalone', platform.name, nativeFiles(platform)[1])
}

/** Marker file next to the native files of a platform: they must not be released. It contains the reason. */
export function quickBuildMark(platform) {
  return join(root, 'npm', platform.name, '.quick')
}
