import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { afterAll, describe, expect, test } from '@jest/globals'
import { checkout, Project } from './project.ts'

// The executable is replaced by a shell script, which Windows cannot run.
const unix = process.platform === 'win32' ? describe.skip : describe

unix('bin/contract.js', () => {
  const project = new Project()
  afterAll(() => project.remove())

  /** Starts the launcher with a shell script in place of the executable. */
  function launch(script: string, ...args: string[]) {
    project.write('contract.node', '')
    project.write('contract', `#!/bin/sh\n${script}\n`)
    chmodSync(project.path('contract'), 0o755)
    return spawn(process.execPath, [`${checkout}/bin/contract.js`, ...args], {
      env: { ...process.env, CONTRACT_NATIVE_PATH: project.path('contract.node') },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  }

  test('passes arguments, input, output and the exit code', async () => {
    const child = launch('cat; echo "$@"; exit 7', 'one', 'two three')
    child.stdin.end('input\n')
    const output: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
    expect(await once(child, 'close')).toEqual([7, null])
    expect(output.join('')).toBe('input\none two three\n')
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'passes on %s and leaves the ending to the executable',
    async (signal) => {
      const child = launch(`trap 'exit 5' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`)
      await once(child.stdout, 'data')
      child.kill(signal)
      expect(await once(child, 'close')).toEqual([5, null])
    },
  )

  test('reports a killed executable as shells do', async () => {
    expect(await once(launch('kill -KILL $$'), 'close')).toEqual([128 + 9, null])
  })
})
