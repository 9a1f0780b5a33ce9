// The folder of the project. This file imports no package, so that scripts without any run in a checkout as it is.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
