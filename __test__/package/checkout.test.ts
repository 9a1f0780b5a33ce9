import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from './project.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-checkout-'))
cpSync(join(checkout, 'scripts'), join(folder, 'scripts'), { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['build-capi.mjs', 'build-wheel.mjs'])('%s runs in a checkout without npm packages', (script) => {
  const { stderr } = spawnSync(process.execPath, [join(folder, 'scripts', script), '--nonsense'], { encoding: 'utf8' })
  // The script reaches the check of its own options.
  expect(stderr).toContain("Unknown option '--nonsense'")
})

test('npm run docs builds the site in a checkout without npm packages', () => {
  // Where the packages of the site are installed, the script starts the build.
  mkdirSync(join(folder, 'docs', 'node_modules', 'vitepress'), { recursive: true })
  writeFileSync(join(folder, 'docs', 'build.mjs'), "console.log('the site is built')")
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', 'docs.mjs')], { encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('the site is built'), stderr: '' })
})
