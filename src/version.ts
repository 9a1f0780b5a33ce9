import { native } from './native/load.js'

/** The version of this package and of the native core that it runs on; the loader sees to it that they agree. */
export const version: string = native.version()
