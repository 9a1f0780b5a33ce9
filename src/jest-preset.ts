// The `contract/jest` preset for Jest.

import { isAbsolute, normalize } from 'node:path'

const directory = normalize(process.env.CONTRACT_OUTPUT_DIR || 'contracts')
const pattern = directory.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A Jest preset that adds this package's reporter and excludes the contract directory from watch mode. */
export default {
  reporters: ['default', 'contract/jest/reporter'],
  // Writing a contract file must not trigger a new run.
  watchPathIgnorePatterns: [isAbsolute(directory) ? pattern : `<rootDir>/${pattern}`],
}
