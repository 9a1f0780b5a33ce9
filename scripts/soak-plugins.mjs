// `npm run soak:plugins [INTERACTIONS] [VERIFICATIONS]`: verifies a contract with contents of a plugin many times and tells what is
// left of it: processes, threads, open files, temporary files. Nothing may be. It also tells what one comparison by a plugin costs
// beside a bare call of the same plugin over HTTP/2.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Verifier } from 'contract'
import { packPlugin } from 'contract/plugin'

const [interactions = 500, verifications = 10] = process.argv.slice(2).map(Number)
const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'soak-plugins-'))
const TYPE = 'application/x-pairs'

packPlugin({
  name: 'pairs',
  version: '1.0.0',
  entry: join(root, '__test__/support/pairs-plugin.mjs'),
  directory: place,
})

const body = { contentType: TYPE, content: 'colour=red\n', encoded: false }
const contract = (type) => ({
  consumer: { name: 'web' },
  provider: { name: 'shop' },
  interactions: Array.from({ length: interactions }, (_, at) => ({
    type: 'Synchronous/HTTP',
    description: `colour ${at}`,
    request: { method: 'GET', path: `/${at}` },
    response: { status: 200, headers: { 'Content-Type': [type] }, body: { ...body, contentType: type } },
    ...(type === TYPE ? { pluginConfiguration: { pairs: { response: { pairs: { colour: 'red' } } } } } : {}),
  })),
  metadata: {
    pactSpecification: { version: '4.0' },
    plugins: type === TYPE ? [{ name: 'pairs', version: '1.0.0' }] : [],
  },
})
const files = { [TYPE]: join(place, 'web-shop.json'), 'text/plain': join(place, 'plain.json') }
for (const [type, file] of Object.entries(files)) writeFileSync(file, JSON.stringify(contract(type)))

let type = TYPE
const provider = createServer((request, response) => {
  request.resume()
  response.setHeader('content-type', type).end('colour=red\n')
})
await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve))
const { port } = provider.address()

async function verify(kind) {
  type = kind
  const began = performance.now()
  const report = await new Verifier('shop')
    .setPlugins({ directories: [place] })
    .addSource(files[kind])
    .addTransport({ port })
    .verify()
  if (!report.success || report.summary.passed !== interactions)
    throw new Error(`not all passed: ${JSON.stringify(report.summary)}`)
  return performance.now() - began
}

const mine = () => ({
  processes: execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(place) && !line.includes('soak-plugins.mjs')).length,
  threads: readdirSync('/proc/self/task').length,
  files: readdirSync('/proc/self/fd').length,
  temporary: readdirSync(tmpdir()).length,
})

async function settled(wanted) {
  for (let tries = 0; tries < 100; tries += 1) {
    const now = mine()
    if (Object.entries(wanted).every(([name, most]) => now[name] <= most)) return now
    await pause(100)
  }
  return mine()
}

try {
  // The first of each makes what the process keeps for good: threads of the runtime, caches.
  await verify('text/plain')
  await verify(TYPE)
  await settled({ processes: 0 })
  const before = mine()
  const times = { plain: [], plugin: [] }
  for (let count = 0; count < verifications; count += 1) {
    times.plain.push(await verify('text/plain'))
    times.plugin.push(await verify(TYPE))
  }
  const after = await settled(before)
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
  const each = (median(times.plugin) - median(times.plain)) / interactions
  console.log(`${interactions} interactions, ${verifications} verifications`)
  console.log(`before ${JSON.stringify(before)}`)
  console.log(`after  ${JSON.stringify(after)}`)
  console.log(
    `a verification: ${median(times.plain).toFixed(0)} ms without, ${median(times.plugin).toFixed(0)} ms with the plugin, its start included: ${(each * 1000).toFixed(0)} µs for a comparison`,
  )
  const left = Object.keys(after).filter((name) => after[name] > before[name])
  if (left.length > 0) {
    console.error(`left behind: ${left.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  provider.close()
  rmSync(place, { recursive: true, force: true })
}
