import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from './project.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-checkout-'))
cpSync(join(checkout, 'scripts'), join(folder, 'scripts'), { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['build-capi.mjs', 'build-wheel.mjs'])('%s runs in a checkout without npm packages', (script) => {
  const { stderr } = spawnSync(process.execPath, [join(folder, 'scripts', script), '--nonsense'], { encoding: 'utf8' })
  // It reaches the check of its own options.
  expect(stderr).toContain("Unknown option '--nonsense'")
})
