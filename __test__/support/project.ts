// Small projects whose tests write a contract, run by real test runners.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary.ts'

/** `write(description)` runs a consumer test; `contract` is its code. */
export const consumer = `
  const { Contract } = require(${JSON.stringify(require.resolve('contract'))})
  const contract = new Contract('web', 'users', { directory: __dirname + '/contracts', writeMode: process.env.WRITE_MODE || 'merge' })
  exports.write = async (description) => {
    contract.uponReceiving(description).withRequest('GET', '/' + encodeURI(description)).willRespondWith(200)
    await contract.serve(({ url }) => fetch(url + '/' + encodeURI(description)))
  }`

export interface Project {
  readonly folder: string
  write(name: string, text: string): void
  /** Runs a Node program and returns its output. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): string
  /** Starts a program that keeps running. */
  start(args: readonly string[]): Started
  /** The content of the contract file. */
  descriptions(): string[]
}

export interface Started {
  /** Waits until it has printed this since the last time. */
  says(words: RegExp): Promise<void>
  stop(): Promise<void>
}

/** A project with `consumer.js` and a separate cache. */
export function project(files: Readonly<Record<string, string>>): Project {
  const folder = temporaryDirectory()
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'node_modules'))
  for (const [name, text] of Object.entries({ 'package.json': '{}', 'consumer.js': consumer, ...files }))
    write(name, text)
  return {
    folder,
    write,
    run(args, env = {}) {
      // This process is a worker of a test runner, which must not affect the started one.
      const { JEST_WORKER_ID, NODE_TEST_CONTEXT, ...own } = process.env
      const run = spawnSync(process.execPath, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { ...own, FORCE_COLOR: '0', CI: 'true', ...env },
      })
      return run.stdout + run.stderr
    },
    start(args) {
      const { JEST_WORKER_ID, NODE_TEST_CONTEXT, CI, ...own } = process.env
      const child = spawn(process.execPath, args, { cwd: folder, env: { ...own, FORCE_COLOR: '0' } })
      const ended = once(child, 'exit')
      let printed = ''
      let heard = () => {}
      for (const output of [child.stdout, child.stderr]) {
        output.on('data', (data: Buffer) => {
          printed += data
          heard()
        })
      }
      return {
        async says(words) {
          while (!words.test(printed)) {
            const more = new Promise<boolean>((resolve) => {
              heard = () => resolve(true)
            })
            if (!(await Promise.race([more, ended.then(() => words.test(printed))]))) {
              throw new Error(`it ended without ${words}:\n${printed}`)
            }
          }
          printed = ''
        },
        async stop() {
          child.kill('SIGKILL')
          await ended
        },
      }
    },
    descriptions() {
      const { interactions } = JSON.parse(readFileSync(join(folder, 'contracts', 'web-users.json'), 'utf8'))
      return interactions.map(({ description }: { description: string }) => description)
    },
  }
}
