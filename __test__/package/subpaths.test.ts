import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { checkout } from './project.ts'

const run = (type: 'module' | 'commonjs', code: string) =>
  execFileSync(process.execPath, [`--input-type=${type}`, '-e', code], { cwd: checkout, encoding: 'utf8' }).trim()

test.each(['match', 'generate', 'xml', 'graphql'])(
  'contract/%s is the namespace of the package, as ESM and CommonJS',
  (name) => {
    const esm = `import * as all from 'contract'; import * as own from 'contract/${name}'
    console.log(Object.keys(own).length > 0 && Object.keys(own).every((key) => own[key] === all.${name}[key]))`
    expect(run('module', esm)).toBe('true')
    expect(run('commonjs', `console.log(require('contract/${name}') === require('contract').${name})`)).toBe('true')
  },
)

test('names that are reserved words can be imported', () => {
  const code = `import { int, null as nothing } from 'contract/match'; import { example } from 'contract'
    console.log(JSON.stringify(example([int(7), nothing()])))`
  expect(run('module', code)).toBe('[7,null]')
})
