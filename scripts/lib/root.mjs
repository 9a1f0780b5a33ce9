// The folder of the project. This file imports no package, so that scripts without any run in a checkout as it is.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The licenses of all that is linked into the native files; beside them in every package. `scripts/notices.mjs` writes it. */
export const noticesFile = 'THIRD-PARTY-NOTICES.txt'
