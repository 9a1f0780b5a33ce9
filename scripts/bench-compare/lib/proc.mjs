import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const pathTo = (rel) => fileURLToPath(new URL(rel, import.meta.url))
export const now = () => performance.now()
export const sleep = (ms) => new Promise((r) => setTimeout(r, ms))

/** Creates a new directory for one worker, which cleanup() removes. */
export function scratch() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'contract-bench-'))
  return {
    dir,
    sub: (n) => {
      const d = path.join(dir, n)
      fs.mkdirSync(d, { recursive: true })
      return d
    },
    cleanup: () => fs.rmSync(dir, { recursive: true, force: true }),
  }
}

/** Imports a package from `dir`, the directory that contains node_modules. */
export function importFrom(dir, name) {
  const req = createRequire(path.join(path.resolve(dir), 'noop.cjs'))
  return import(pathToFileURL(req.resolve(name)).href)
}
export function packageJsonOf(dir, name) {
  return JSON.parse(fs.readFileSync(path.join(path.resolve(dir), 'node_modules', name, 'package.json'), 'utf8'))
}

/** Sends a GET or POST request with one of three clients. Returns { status, bytes }. */
export async function request(client, url, { method = 'GET', body } = {}) {
  if (client === 'fetch') {
    const res = await fetch(url, {
      method,
      body,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    })
    const buf = await res.arrayBuffer()
    return { status: res.status, bytes: buf.byteLength }
  }
  const http = await import('node:http')
  agents[client] ??= new http.Agent({ keepAlive: client === 'http-keepalive' })
  return new Promise((resolve, reject) => {
    const req = http.request(
      url,
      {
        method,
        agent: agents[client],
        headers:
          body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      },
      (res) => {
        let bytes = 0
        res.on('data', (c) => {
          bytes += c.length
        })
        res.on('end', () => resolve({ status: res.statusCode, bytes }))
        res.on('error', reject)
      },
    )
    req.on('error', reject)
    req.end(body)
  })
}
const agents = {}

/** Starts lib/provider.mjs in a separate process, which stop() ends. */
export async function startProvider(options) {
  const child = spawn(process.execPath, [pathTo('./provider.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise((resolve, reject) => {
    child.once('exit', (c) => reject(new Error(`provider exited with ${c}`)))
    child.stdout.once('data', (d) => resolve(Number(String(d))))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((r) => {
        child.removeAllListeners('exit')
        child.once('exit', r)
        child.kill()
      }),
  }
}

/** RSS, threads and open files of this process (Linux; NaN elsewhere). */
export function procStat() {
  let threads = NaN
  let fds = NaN
  try {
    threads = Number(/Threads:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1])
    fds = fs.readdirSync('/proc/self/fd').length
  } catch {
    /* not Linux */
  }
  return { rssMb: process.memoryUsage.rss() / 1048576, threads, fds }
}

/** Returns the longest time for which the event loop was blocked while fn ran, in ms. */
export async function withLoopBlock(fn) {
  const h = monitorEventLoopDelay({ resolution: 5 })
  h.enable()
  await sleep(20)
  h.reset()
  const value = await fn()
  await sleep(10)
  h.disable()
  return { value, blockMs: Math.max(0, h.max / 1e6 - 5) }
}
