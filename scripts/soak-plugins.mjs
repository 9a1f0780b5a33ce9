// `npm run soak:plugins [INTERACTIONS] [VERIFICATIONS]`: writes a contract with contents of a plugin and verifies it
// many times, and equally often with a plugin that crashes. Then it reports leaked resources (processes, listening
// ports, threads, open files, temporary files) and the duration of the plugin's comparisons.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { packPlugin } from '@contract-testing/plugin'
import { Contract, VerificationError, Verifier } from 'contract'

const [interactions = 500, verifications = 10] = process.argv.slice(2).map(Number)
const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'soak-plugins-'))
const TYPE = 'application/x-pairs'

// Only files of this process, because other processes also create temporary files.
const temporary = join(place, 'temporary')
mkdirSync(temporary)
process.env.TMPDIR = temporary

packPlugin({
  name: 'pairs',
  version: '1.0.0',
  entry: join(root, '__test__/support/pairs-plugin.mjs'),
  directory: place,
})

/** Writes the contract with a consumer test: the plugin creates each body and compares each request. */
async function write() {
  const contract = new Contract('web', 'shop', { directory: place, plugins: { directories: [place] } })
  contract.usingPlugin({ plugin: 'pairs' })
  for (let at = 0; at < interactions; at += 1)
    contract
      .uponReceiving(`colour ${at}`)
      .withRequest('PUT', `/${at}`)
      .withPluginContents({ size: '{number}' }, TYPE)
      .willRespondWith(200)
      .withPluginContents({ colour: 'red' }, TYPE)
  await contract.serve({ timeout: 0 }, async ({ url }) => {
    for (let at = 0; at < interactions; at += 1) {
      const answer = await fetch(`${url}/${at}`, {
        method: 'PUT',
        body: `size=${at}\n`,
        headers: { 'content-type': TYPE },
      })
      if ((await answer.text()) !== 'colour=red\n') throw new Error(`${at}: ${answer.status}`)
    }
  })
}

/** The plugin runs as long as a contract uses it, and a contract exists until it is garbage collected. */
function collect() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/** The same contract without the plugin. */
function writePlain() {
  const contract = JSON.parse(readFileSync(join(place, 'web-shop.json'), 'utf8'))
  contract.metadata.plugins = []
  for (const interaction of contract.interactions) {
    delete interaction.pluginConfiguration
    for (const part of [interaction.request, interaction.response]) {
      part.headers = { 'Content-Type': ['text/plain'] }
      part.body.contentType = 'text/plain'
      delete part.matchingRules
      delete part.generators
    }
  }
  writeFileSync(join(place, 'plain.json'), JSON.stringify(contract))
}

const answers = { plain: 'text/plain', plugin: TYPE, deaths: TYPE }
let kind = 'plain'
const provider = createServer((request, response) => {
  request.resume()
  const body = kind === 'deaths' && request.url === '/0' ? 'do=die\n' : 'colour=red\n'
  response.setHeader('content-type', answers[kind]).end(body)
})
await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve))
const { port } = provider.address()

async function verify(scenario) {
  kind = scenario
  const began = performance.now()
  const verifier = new Verifier('shop')
    .setPlugins({ directories: [place] })
    .addSource(join(place, scenario === 'plain' ? 'plain.json' : 'web-shop.json'))
    .addTransport({ port })
  const report = await verifier.verify().catch((error) => {
    if (error instanceof VerificationError) return error.report
    throw error
  })
  const { passed, failed } = report.summary
  const wrong = scenario === 'deaths' ? 1 : 0
  if (passed !== interactions - wrong || failed !== wrong)
    throw new Error(`${scenario}: ${JSON.stringify(report.summary)}, expected ${wrong} to fail`)
  return performance.now() - began
}

/** Ports on which this process listens. */
function ports() {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
  const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
  const listening = rows.map((row) => row.trim().split(/\s+/)).filter((cells) => cells[3] === '0A')
  return listening.filter((cells) => sockets.has(cells[9])).length
}

/** Resource counts; ports, threads, and open files on Linux only. */
const mine = () => ({
  processes: execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(place)).length,
  temporary: readdirSync(temporary).length,
  ...(process.platform === 'linux' && {
    ports: ports(),
    threads: readdirSync('/proc/self/task').length,
    files: readdirSync('/proc/self/fd').length,
  }),
})

async function settled(maximums) {
  for (let tries = 0; tries < 100; tries += 1) {
    collect()
    const now = mine()
    if (Object.entries(maximums).every(([name, most]) => now[name] <= most)) return now
    await pause(100)
  }
  return mine()
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]

try {
  await write()
  writePlain()
  // The first verification creates what the process keeps: threads of the runtime and caches.
  for (const scenario of Object.keys(answers)) await verify(scenario)
  const before = await settled({ processes: 0 })
  const times = { plain: [], plugin: [], deaths: [] }
  for (let count = 0; count < verifications; count += 1)
    for (const [scenario, list] of Object.entries(times)) list.push(await verify(scenario))
  const after = await settled(before)
  const [plain, plugin] = [median(times.plain), median(times.plugin)]
  console.log(
    `${interactions} interactions, ${verifications} verifications, and the same number with a plugin that crashes`,
  )
  console.log(`before ${JSON.stringify(before)}`)
  console.log(`after  ${JSON.stringify(after)}`)
  console.log(
    `one verification: ${plain.toFixed(0)} ms without the plugin, ${plugin.toFixed(0)} ms with it (including its start); ${(((plugin - plain) / interactions) * 1000).toFixed(0)} µs per interaction`,
  )
  const left = Object.keys(after).filter((name) => after[name] > before[name])
  if (before.processes > 0) left.push('processes of the first verifications')
  if (left.length > 0) {
    console.error(`leaked: ${left.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  provider.close()
  rmSync(place, { recursive: true, force: true })
}
