// The root of the project. This file imports no packages, so that scripts without dependencies run in a new checkout.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The licenses of all code that is linked into the native files, part of every package. Written by
 * `scripts/notices.mjs`.
 */
export const noticesFile = 'THIRD-PARTY-NOTICES.txt'
