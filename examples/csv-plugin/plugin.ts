// A plugin for CSV: a header line and lines of values. A test defines an example and a pattern for each column.

import { definePlugin, type PluginMismatch, type PluginObject, text } from '@contract-testing/plugin'

/** The contents in a test: `{ rows: 2, columns: [{ name: 'Age', example: '42', regex: '\\d+' }] }`. */
interface Table {
  readonly rows?: number
  readonly columns: readonly Column[]
}

interface Column {
  readonly name: string
  readonly example: string
  /** The pattern that values must match. By default, values must equal the example. */
  readonly regex?: string
  /** True if the plugin generates a new number with one digit each time. */
  readonly fresh?: boolean
}

await definePlugin({
  contents: {
    types: ['text/csv'],

    configure(contents: PluginObject, { contentType }) {
      const { rows = 1, columns } = contents as unknown as Table
      if (columns === undefined) throw new Error('the contents must contain "columns"')
      const line = columns.map(({ example }) => example).join(',')
      const lines = [columns.map(({ name }) => name).join(','), ...Array<string>(rows).fill(line)]
      return {
        contents: { contentType, content: `${lines.join('\n')}\n`, hint: 'text' },
        rules: Object.fromEntries(
          columns.flatMap(({ name, regex }) =>
            regex === undefined ? [] : [[`column:${name}`, [{ type: 'regex', values: { regex } }]]],
          ),
        ),
        generators: Object.fromEntries(
          columns.flatMap(({ name, fresh }) =>
            fresh ? [[`column:${name}`, { type: 'RandomInt', values: { min: 1, max: 9 } }]] : [],
          ),
        ),
        interactionConfiguration: { rows },
        contractConfiguration: { separator: ',' },
      }
    },

    compare({ expected, actual, rules, interactionConfiguration }) {
      const [want = [], ...examples] = table(text(expected))
      const [header = [], ...rows] = table(text(actual))
      const found: PluginMismatch[] = []
      const least = Number(interactionConfiguration.rows ?? 1)
      if (rows.length < least) {
        found.push({ path: 'rows', message: `there are ${rows.length} rows, expected at least ${least}` })
      }
      for (const [at, name] of want.entries()) {
        const column = header.indexOf(name)
        if (column < 0) {
          found.push({ path: `column:${name}`, message: `the column ${name} is missing` })
          continue
        }
        const rule = rules[`column:${name}`]?.[0]
        const example = examples[0]?.[at] ?? ''
        const pattern = rule?.type === 'regex' ? new RegExp(`^(?:${rule.values?.regex})$`) : undefined
        for (const [number, row] of rows.entries()) {
          const value = row[column] ?? ''
          if (pattern === undefined ? value === example : pattern.test(value)) continue
          const wanted = pattern === undefined ? `'${example}'` : `a value that matches ${pattern.source}`
          const message = `row ${number + 1} has '${value}' in the column ${name}, expected ${wanted}`
          found.push({ path: `column:${name}`, message, expected: example, actual: value })
        }
      }
      return found
    },

    generate({ contents, generators }) {
      const [header = [], ...rows] = table(text(contents))
      for (const path of Object.keys(generators)) {
        const column = header.indexOf(path.replace('column:', ''))
        for (const row of rows) if (column >= 0) row[column] = String(1 + Math.floor(Math.random() * 9))
      }
      const lines = [header, ...rows].map((row) => row.join(','))
      return { contentType: contents.contentType, content: `${lines.join('\n')}\n` }
    },
  },
})

function table(csv: string): string[][] {
  const lines = csv.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.split(','))
}
