// The README's own examples, run as they stand there.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryDirectory } from './support/temporary.ts'

const entry = require.resolve('contract')
const checkout = dirname(dirname(entry))

test('a consumer writes a contract, and the provider honours it', () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8')
  const [consumer, provider] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string)
  const folder = temporaryDirectory()
  writeFileSync(join(folder, '1-consumer.test.ts'), consumer as string)
  writeFileSync(join(folder, '2-provider.test.ts'), anyPort(provider as string))
  const config = {
    rootDir: folder,
    modulePaths: [join(checkout, 'node_modules')],
    moduleNameMapper: { '^contract$': entry },
    transform: {
      '\\.ts$': [require.resolve('@swc/jest'), { swcrc: false, jsc: { parser: { syntax: 'typescript' } } }],
    },
  }

  for (const file of ['1-consumer', '2-provider']) {
    const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
    const run = spawnSync(process.execPath, [jest, '--config', JSON.stringify(config), file], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    })

    expect(run.stderr).toContain('1 passed, 1 total')
  }
})

/** A test must not fail because somebody else listens on 8080. */
function anyPort(code: string): string {
  return code
    .replace("listen(8080, '127.0.0.1'", "listen(0, '127.0.0.1'")
    .replace("'http://127.0.0.1:8080'", "'http://127.0.0.1:' + service.address().port")
}
