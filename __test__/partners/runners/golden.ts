// Golden files: the printed failures of each runner. `UPDATE_GOLDEN=1` writes them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from '@jest/globals'

/** Compares the text with the golden file `golden/NAME.txt`. */
export function expectGolden(name: string, text: string): void {
  const file = join(__dirname, 'golden', `${name}.txt`)
  const actual = `${text.trim()}\n`
  if (process.env.UPDATE_GOLDEN || !existsSync(file)) {
    if (!process.env.UPDATE_GOLDEN) throw new Error(`${file} does not exist. Set UPDATE_GOLDEN=1 to create it.`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, actual)
  }
  expect(actual).toBe(readFileSync(file, 'utf8'))
}
