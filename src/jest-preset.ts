// Jest's preset `contract/jest`.

import { isAbsolute, normalize } from 'node:path'

const directory = normalize(process.env.CONTRACT_OUTPUT_DIR || 'contracts')
const pattern = directory.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Jest's preset: Jest's own reporter and the one of this package, and a contract directory that is not watched. */
export default {
  reporters: ['default', 'contract/jest/reporter'],
  // Writing a contract must not start the tests again.
  watchPathIgnorePatterns: [isAbsolute(directory) ? pattern : `<rootDir>/${pattern}`],
}
