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

/** Compares a message with its section of the golden file `golden/NAME.txt`. */
export function expectGoldenSection(name: string, title: string, text: string): void {
  const file = join(__dirname, 'golden', `${name}.txt`)
  const sections = new Map<string, string>()
  for (const section of existsSync(file) ? readFileSync(file, 'utf8').split(/^# /m).slice(1) : []) {
    const end = section.indexOf('\n')
    sections.set(section.slice(0, end), section.slice(end + 1).trim())
  }
  if (process.env.UPDATE_GOLDEN) {
    sections.set(title, text.trim())
    const entries = [...sections].sort(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(file, `${entries.map(([title, text]) => `# ${title}\n${text}\n`).join('\n')}`)
  }
  expect(text.trim()).toBe(sections.get(title))
}
