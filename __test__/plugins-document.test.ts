// The samples of docs/guides/plugins.md, run unchanged.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { expect, test } from '@jest/globals'
import { Contract, MismatchesError } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const entry = require.resolve('contract')
const checkout = dirname(dirname(entry))
const document = readFileSync(join(checkout, 'docs', 'guides', 'plugins.md'), 'utf8')

function sample(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(document)
  if (found === null) throw new Error(`docs/guides/plugins.md has no sample ${name}`)
  return found[1] ?? ''
}

test('a gRPC consumer and its provider', () => {
  const folder = temporaryDirectory()
  const plugins = join(folder, 'plugins')
  mkdirSync(plugins)
  const standIn = join(__dirname, 'support', 'protobuf-stand-in.mjs')
  packPlugin({ name: 'protobuf', version: '0.7.1', entry: standIn, directory: plugins })
  writeFileSync(join(folder, '1-consumer.test.ts'), sample('consumer'))
  writeFileSync(join(folder, '2-provider.test.ts'), sample('provider'))
  writeFileSync(
    join(folder, 'area-client.ts'),
    `import { connect } from 'node:net'
    export function area(address, shape) {
      const [host, port] = address.split(':')
      return new Promise((resolve, reject) => {
        const socket = connect(port, host, () => socket.write(JSON.stringify(shape)))
        socket.once('data', (data) => resolve(JSON.parse(data).value))
        socket.once('error', reject)
      })
    }`,
  )
  writeFileSync(
    join(folder, 'area-server.ts'),
    `import { createServer } from 'node:net'
    export async function start() {
      const server = createServer((socket) => {
        socket.on('data', (data) => {
          const { width, height } = JSON.parse(data)
          socket.end(JSON.stringify({ value: width * height }))
        })
      })
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
      return { port: server.address().port, stop: () => server.close() }
    }`,
  )
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
      env: { ...process.env, FORCE_COLOR: '0', CONTRACT_PLUGIN_DIR: plugins },
    })
    expect(run.stderr).toContain('1 passed, 1 total')
  }
  const { interactions } = JSON.parse(readFileSync(join(folder, 'contracts', 'area-client-area-service.json'), 'utf8'))
  expect(interactions[0].transport).toBe('grpc')
})

test('the smallest plugin, bundled by its sample', async () => {
  const folder = temporaryDirectory()
  writeFileSync(join(folder, 'plugin.mjs'), sample('plugin'))
  // As installed: the package is below node_modules.
  const library = join(folder, 'node_modules', '@contract-testing', 'plugin')
  mkdirSync(library, { recursive: true })
  writeFileSync(
    join(library, 'package.json'),
    JSON.stringify({ name: '@contract-testing/plugin', main: './index.cjs' }),
  )
  writeFileSync(join(library, 'index.cjs'), readFileSync(require.resolve('@contract-testing/plugin')))
  writeFileSync(join(folder, 'pack.mjs'), sample('pack'))
  const packed = spawnSync(process.execPath, ['pack.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(packed.stderr).toBe('')
  expect(existsSync(join(folder, 'dist', 'words-1.0.0', 'pact-plugin.json'))).toBe(true)

  const plugins = { directories: [join(folder, 'dist')] }
  const contract = new Contract('web', 'shop', { directory: folder, plugins }).usingPlugin({ plugin: 'words' })
  const define = () =>
    contract
      .uponReceiving('words')
      .withRequest('PUT', '/words')
      .withPluginContents({ words: 'red green' }, 'text/x-words')
      .willRespondWith(204)
  const put = (url: string, body: string) =>
    fetch(`${url}/words`, { method: 'PUT', body, headers: { 'content-type': 'text/x-words' } })
  define()
  await contract.serve(async ({ url }) => expect((await put(url, 'green red')).status).toBe(204))
  define()
  const wrong = contract.serve({ all: true }, ({ url }) => put(url, 'green blue'))
  await expect(wrong).rejects.toThrow(MismatchesError)
  expect(() =>
    contract.uponReceiving('no words').withRequest('PUT', '/').withPluginContents({}, 'text/x-words'),
  ).toThrow('the contents need "words"')
})
