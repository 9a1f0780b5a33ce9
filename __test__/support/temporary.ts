import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

const made: string[] = []

afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

/** Creates a directory that is removed after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'contract-test-'))
  made.push(directory)
  return directory
}
