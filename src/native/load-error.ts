import { withCode } from '../errors.js'
import { PLATFORMS, VERSION } from './build-constants.js'
import { type Candidate, packageFor } from './locate.js'
import { isSupportedNode, OLDEST_NODE } from './node-version.js'
import type { Platform } from './platform.js'

/** An attempt to load a library, and the reason why it failed. */
export interface Attempt {
  readonly candidate: Candidate
  /** The path of the library, or `undefined` if no file was found. */
  readonly file: string | undefined
  /** The message from Node or from the operating system's loader. */
  readonly reason: string
}

const CODE = 'ERR_CONTRACT_NATIVE_LOAD'

/**
 * Thrown if the native core cannot be loaded. Identify the error by its `code`. Its class cannot be imported, because
 * the error is thrown while the package is imported.
 */
export class NativeLoadError extends Error {
  override readonly name = 'NativeLoadError'
  readonly code = CODE
  readonly platform: Platform
  readonly attempts: readonly Attempt[]

  constructor(platform: Platform, attempts: readonly Attempt[]) {
    super(withCode(CODE, describe(platform, attempts)))
    this.platform = platform
    this.attempts = attempts
  }
}

function describe(platform: Platform, attempts: readonly Attempt[]): string {
  const system = [process.platform, process.arch, platform.libc].filter(Boolean).join(' ')
  return [
    `The native core of contract ${VERSION} could not be loaded.`,
    '',
    `System: ${system}, Node ${process.version}`,
    `Package expected: ${packageFor(platform.name)}`,
    ...(attempts.length > 0 ? ['Tried:'] : []),
    ...attempts.map(({ candidate, file, reason }) => `  - ${place(candidate, file)}\n    ${reason}`),
    'To fix it:',
    ...advice(platform, attempts).map((line) => `  - ${line}`),
  ].join('\n')
}

function place({ origin, request }: Candidate, file: string | undefined): string {
  if (origin === 'package') return file === undefined ? request : `${request} (${file})`
  return origin === 'checkout' ? `${request} (built in this checkout)` : `${request} (CONTRACT_NATIVE_PATH)`
}

function advice(platform: Platform, attempts: readonly Attempt[]): string[] {
  const tried = (origin: Candidate['origin']) => attempts.find(({ candidate }) => candidate.origin === origin)

  if (!isSupportedNode()) {
    return [`Node ${process.versions.node} is not supported. Install Node ${OLDEST_NODE} or later.`]
  }
  if (tried('CONTRACT_NATIVE_PATH')) {
    const library = `contract.node in the package ${packageFor(platform.name)} ${VERSION}`
    return [`If CONTRACT_NATIVE_PATH is set, no other file is tried. Unset it, or set it to the path of ${library}.`]
  }
  if (tried('checkout')) return ['Build it: npm run build:native']
  if (!PLATFORMS.includes(platform.name)) {
    return [
      `This platform, ${platform.name}, has no package. Supported platforms: ${PLATFORMS.join(', ')}.`,
      'Build the core from source (see CONTRIBUTING.md) and set CONTRACT_NATIVE_PATH to the path of contract.node.',
    ]
  }
  if (tried('package')?.file !== undefined) {
    return [
      'The file exists but cannot be loaded. Delete node_modules and install again on this machine.',
      'On Linux, the core requires glibc 2.17 or musl 1.2, or later.',
    ]
  }
  const otherPackages = installedForOtherPlatforms()
  if (otherPackages.length > 0) {
    return [
      `Installed instead: ${otherPackages.join(', ')}. node_modules was installed on another system. Delete it and install again.`,
      'If you build a container image, exclude node_modules from the copied files (.dockerignore).',
    ]
  }
  return [
    'It is an optional dependency, and the package manager did not install it. Install again without --omit=optional ' +
      '(npm), --no-optional (npm, pnpm), or --ignore-optional (yarn), and check .npmrc for the same setting.',
    'If the lock file was created on another system, delete node_modules and the lock file, and install again. With pnpm ' +
      'or yarn, add this system to supportedArchitectures.',
  ]
}

/**
 * Returns the installed packages for other platforms, which show that `node_modules` was copied from another system.
 */
function installedForOtherPlatforms(): string[] {
  return PLATFORMS.map(packageFor).filter((name) => {
    try {
      require.resolve(name)
      return true
    } catch {
      return false
    }
  })
}
