import { PLATFORMS, VERSION } from './build-constants.js'
import { type Candidate, packageFor } from './locate.js'
import type { Platform } from './platform.js'

/** A place that was tried, and why it did not do. */
export interface Attempt {
  readonly candidate: Candidate
  /** The file found there; `undefined` where there was none. */
  readonly file: string | undefined
  /** In the words of Node or of the system's loader. */
  readonly reason: string
}

/**
 * The native core could not be loaded. Thrown while the package is imported, so it is told by its `code`: the class
 * cannot be imported by then.
 */
export class NativeLoadError extends Error {
  override readonly name = 'NativeLoadError'
  readonly code = 'ERR_CONTRACT_NATIVE_LOAD'
  readonly platform: Platform
  readonly attempts: readonly Attempt[]

  constructor(platform: Platform, attempts: readonly Attempt[]) {
    super(describe(platform, attempts))
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
    'Tried:',
    ...attempts.map(({ candidate, file, reason }) => `  - ${place(candidate, file)}\n    ${reason}`),
    'To mend it:',
    ...advice(platform, attempts).map((line) => `  - ${line}`),
  ].join('\n')
}

function place({ origin, request }: Candidate, file: string | undefined): string {
  if (origin === 'package') return file === undefined ? request : `${request} (${file})`
  return origin === 'checkout' ? `${request} (built in this checkout)` : `${request} (CONTRACT_NATIVE_PATH)`
}

function advice(platform: Platform, attempts: readonly Attempt[]): string[] {
  const tried = (origin: Candidate['origin']) => attempts.find(({ candidate }) => candidate.origin === origin)

  if (tried('CONTRACT_NATIVE_PATH')) {
    const wanted = `the contract.node of ${packageFor(platform.name)} ${VERSION}`
    return [`Nothing else is tried while CONTRACT_NATIVE_PATH is set: unset it, or let it name ${wanted}.`]
  }
  if (tried('checkout')) return ['Build it: npm run build:native']
  if (!PLATFORMS.includes(platform.name)) {
    return [
      `There is no package for ${platform.name}, only for ${PLATFORMS.join(', ')}.`,
      'Build the core from source (see CONTRIBUTING.md) and let CONTRACT_NATIVE_PATH name the contract.node.',
    ]
  }
  if (tried('package')?.file !== undefined) {
    return [
      'The file is there but does not fit: delete node_modules and install again on this machine.',
      'On Linux the core needs glibc 2.17 or musl 1.2, or later.',
    ]
  }
  const foreign = installedForOthers()
  if (foreign.length > 0) {
    return [
      `Installed instead: ${foreign.join(', ')}. node_modules comes from another system: delete it and install here.`,
      'In a container, leave node_modules out of what is copied in (.dockerignore).',
    ]
  }
  return [
    'It is an optional dependency, and the package manager left it out. Install again without --omit=optional (npm), ' +
      '--no-optional (npm, pnpm) or --ignore-optional (yarn), and look for the like in .npmrc.',
    'If the lock file was made on another system: delete node_modules and the lock file, and install again; with pnpm ' +
      'or yarn, name this system in supportedArchitectures.',
  ]
}

/** The usual reason for a missing package is node_modules copied from another system: then that system's is there. */
function installedForOthers(): string[] {
  return PLATFORMS.map(packageFor).filter((name) => {
    try {
      require.resolve(name)
      return true
    } catch {
      return false
    }
  })
}
