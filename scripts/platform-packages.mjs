// Writes npm/PLATFORM/package.json for every platform. With --check, it only checks that they are up to date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { manifest, nativeFiles, noticesFile, platforms, root } from './lib/project.mjs'
import { sbomFile } from './lib/sbom.mjs'

const check = process.argv.includes('--check')
let stale = 0

for (const platform of platforms) {
  const path = join(root, 'npm', platform.name, 'package.json')
  const expected = `${JSON.stringify(packageOf(platform), null, 2)}\n`
  if (existsSync(path) && readFileSync(path, 'utf8') === expected) continue
  if (check) {
    stale += 1
    console.error(`npm/${platform.name}/package.json does not match package.json`)
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, expected)
  }
}
if (stale > 0) {
  console.error('Run: node scripts/platform-packages.mjs')
  process.exit(1)
}

function packageOf(platform) {
  const { version, license, engines, repository } = manifest
  return {
    name: platform.packageName,
    version,
    description: `The native core of ${manifest.name} for ${platform.name}.`,
    license,
    ...(repository && { repository }),
    engines,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.os === 'linux' && { libc: [platform.abi === 'musl' ? 'musl' : 'glibc'] }),
    main: 'contract.node',
    files: [...nativeFiles(platform), noticesFile, sbomFile],
    // Neither the library nor the executable can be used from inside Yarn's zip archives.
    preferUnplugged: true,
  }
}
