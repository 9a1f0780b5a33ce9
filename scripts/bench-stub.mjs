// `npm run bench:stub [-- --contracts 500] [--interactions 40] [--executable PATH] [--page]`: measures `contract stub` with many
// contracts on one core: the time to start, the latency of matched and unmatched requests, and the memory. Requires a release
// build (`npm run build:release`), Linux, and an idle machine for half a minute. `--page` writes docs/performance.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordStub } from './lib/performance.mjs'
import { root } from './lib/root.mjs'

const { values } = parseArgs({
  options: {
    contracts: { type: 'string', default: '500' },
    interactions: { type: 'string', default: '40' },
    executable: { type: 'string', default: join(root, 'npm', `linux-${process.arch}-gnu`, 'contract') },
    page: { type: 'boolean', default: false },
  },
})
const [contracts, interactions] = [Number(values.contracts), Number(values.interactions)]
const STARTS = 5
const UNMATCHED = 200

const folder = mkdtempSync(join(tmpdir(), 'contract-bench-stub-'))
try {
  for (let number = 0; number < contracts; number += 1) writeContract(number)
  const measured = await measure()
  console.table(measured)
  if (values.page) recordStub({ contracts, interactions: contracts * interactions, ...measured })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Half of the interactions have a regular expression for the path, and a third a request body. */
function writeContract(number) {
  const interaction = (at) => ({
    type: 'Synchronous/HTTP',
    description: `interaction ${at}`,
    providerStates: [{ name: `state ${at % 7}` }],
    request: {
      method: at % 3 ? 'GET' : 'POST',
      path: `/service-${number}/things/${at}`,
      headers: { Accept: ['application/json'] },
      ...(at % 3 === 0 && { body: { contentType: 'application/json', content: { name: 'a', amount: at } } }),
      matchingRules: {
        ...(at % 2 === 1 && {
          path: { matchers: [{ match: 'regex', regex: `/service-${number}/things/${at}/?\\d*` }] },
        }),
        ...(at % 3 === 0 && { body: { '$.amount': { matchers: [{ match: 'integer' }] } } }),
      },
    },
    response: {
      status: 200,
      headers: { 'Content-Type': ['application/json'] },
      body: {
        contentType: 'application/json',
        content: {
          id: at,
          items: [{ sku: 'x', n: 1, at: '2026-01-01T00:00:00Z' }],
          customer: { name: 'Ann', city: 'Bern' },
        },
      },
      matchingRules: {
        body: {
          '$.id': { matchers: [{ match: 'integer' }] },
          '$.items': { matchers: [{ match: 'type', min: 1 }] },
          '$.items[*].n': { matchers: [{ match: 'integer' }] },
          '$.customer.name': { matchers: [{ match: 'type' }] },
        },
      },
    },
  })
  const document = {
    consumer: { name: `consumer ${number}` },
    provider: { name: `provider ${number}` },
    interactions: Array.from({ length: interactions }, (_, at) => interaction(at)),
    metadata: { pactSpecification: { version: '4.0' } },
  }
  writeFileSync(join(folder, `${number}.json`), JSON.stringify(document))
}

async function measure() {
  const starts = []
  for (let number = 0; number < STARTS; number += 1) {
    const stub = await start()
    starts.push(stub.milliseconds)
    if (number < STARTS - 1) await stop(stub)
    else return { start: median(starts), ...(await use(stub)) }
  }
}

/** Starts the stub on one core, and waits until it listens. */
async function start() {
  const began = performance.now()
  const child = spawn('taskset', ['--cpu-list', '0', values.executable, 'stub', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    const url = /Listening on (\S+)/.exec(output)?.[1]
    if (url !== undefined) return { child, url, milliseconds: performance.now() - began }
  }
  throw new Error(`the stub ended: ${output}`)
}

async function stop({ child }) {
  child.kill()
  await once(child, 'close')
}

/** Requests each interaction once, in an order that no cache prefers. */
async function use(stub) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const loaded = memory(stub.child)
  const all = contracts * interactions
  const times = []
  for (let number = 0; number < all; number += 1) {
    // A prime number, so that each interaction is requested.
    const at = (number * 7919) % all
    const [contract, interaction] = [at % contracts, Math.floor(at / contracts)]
    const path = `/service-${contract}/things/${interaction}`
    const body = interaction % 3 === 0 ? `{"name":"a","amount":${number}}` : undefined
    const { status, milliseconds } = await send(stub.url, agent, body === undefined ? 'GET' : 'POST', path, body)
    if (status !== 200) throw new Error(`${path}: status ${status}`)
    times.push(milliseconds)
  }
  const unmatched = []
  for (let number = 0; number < UNMATCHED; number += 1) {
    const { status, milliseconds } = await send(stub.url, agent, 'GET', `/service-${number}/thing/${number}`)
    if (status !== 501) throw new Error(`unmatched: status ${status}`)
    unmatched.push(milliseconds)
  }
  const used = memory(stub.child)
  agent.destroy()
  await stop(stub)
  return {
    median: median(times),
    p99: sorted(times)[Math.floor(times.length * 0.99)],
    unmatched: median(unmatched),
    loadedMegabytes: loaded.now,
    usedMegabytes: used.now,
    peakMegabytes: used.peak,
  }
}

function send(url, agent, method, path, body) {
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode, milliseconds: performance.now() - began }))
    })
    sent.on('error', reject).end(body)
  })
}

/** The resident memory of a process in megabytes. */
function memory({ pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name) => Math.round((Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6)
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

function sorted(numbers) {
  return [...numbers].sort((a, b) => a - b)
}

function median(numbers) {
  return sorted(numbers)[numbers.length >> 1]
}
