// Written into the bundle by scripts/build-js.mjs, from package.json: the names of the packages stand there and nowhere
// else.
declare const __VERSION__: string
declare const __CORE_PACKAGE__: string
declare const __PLATFORMS__: readonly string[]

/** The version of this package; a core of another version is refused. */
export const VERSION = __VERSION__

/** What the names of the platform packages begin with: scope and name, without the platform. */
export const CORE_PACKAGE = __CORE_PACKAGE__

/** The platforms there are packages for, as in `linux-x64-gnu`. */
export const PLATFORMS = __PLATFORMS__
