// scripts/build-js.mjs replaces these constants with values from package.json.
declare const __VERSION__: string
declare const __CORE_PACKAGE__: string
declare const __PLATFORMS__: readonly string[]

/** The version of this package. Only a native core with the same version is loaded. */
export const VERSION = __VERSION__

/** The beginning of all platform package names, including the scope. */
export const CORE_PACKAGE = __CORE_PACKAGE__

/** The platforms that have a package, such as `linux-x64-gnu`. */
export const PLATFORMS = __PLATFORMS__
