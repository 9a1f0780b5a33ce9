// The setup file that the plugin adds. It runs once per test file, even if Vitest does not isolate test files.
import { registerFile } from './vitest.js'

registerFile()
