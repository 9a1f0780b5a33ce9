// The declarations compile in projects with other settings.
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryDirectory } from './support/temporary.ts'

const root = dirname(dirname(require.resolve('contract')))

const program = `
import { Verifier, VerificationError, startMessageEndpoint } from 'contract'

const token: string | undefined = process.env.TOKEN
const verifier = new Verifier('users', { requestTimeout: undefined, filter: { description: undefined } })
  .addSource('http://127.0.0.1/contract.json', { token })
  .addTransport({ url: 'http://127.0.0.1', port: undefined })
  .stateHandler({ 'a user exists': async (_action, { id }: { id: number }) => ({ id }) }, { teardown: undefined })
export const failed = verifier.verify({ exitFirst: undefined }).catch((error: VerificationError) => error.output)
export const close = async () => (await startMessageEndpoint({}, { port: undefined })).close()
`

test('compile with an old library and undefined in options, without skipLibCheck', () => {
  const folder = temporaryDirectory()
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules', 'contract'), 'dir')
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'), 'dir')
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        lib: ['es2020'],
        target: 'es2020',
        module: 'nodenext',
        types: ['node'],
        noEmit: true,
        skipLibCheck: false,
      },
      files: ['program.ts'],
    }),
  )

  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const run = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })

  expect(run.stdout).toBe('')
  expect(run.status).toBe(0)
})
