// Chromium and Mock Service Worker, for the tests that use them.
import { existsSync } from 'node:fs'
import type { Runner } from './project.ts'

export const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** A project with MSW, Vitest, and Playwright. */
export const mswRunner: Runner = {
  name: 'msw-2',
  packages: { vitest: '4.1.12', msw: '2.15.0', jsdom: '29.1.1', '@playwright/test': '1.65.1' },
  command: ['vitest/vitest.mjs', 'run', '--testTimeout=60000'],
}

/** The parts of Playwright that the tests use. It is not a development dependency. */
export interface Browser {
  newPage(): Promise<Page>
  newContext(options: object): Promise<Context>
  close(): Promise<void>
}
export interface Context {
  newPage(): Promise<Page>
  close(): Promise<void>
}
export interface Page {
  goto(url: string): Promise<unknown>
  evaluate<T>(script: string): Promise<T>
  waitForFunction(script: string): Promise<unknown>
  on(event: 'console' | 'pageerror', listener: (value: { message?: string; text?(): string }) => void): void
  close(): Promise<void>
}
