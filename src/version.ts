import { native } from './native/load.js'

/** The version of this package and of its native core, such as `1.2.3`. Both are always equal. */
export const version: string = native.version()
