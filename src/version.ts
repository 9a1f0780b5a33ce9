import { native } from './native/load.js'

/** The version of this package and of its native core. The loader checks that they are equal. */
export const version: string = native.version()
