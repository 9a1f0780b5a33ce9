// `node scripts/screenshots.mjs [--data shop,generated,empty] [--out DIR] [--database FILE]`: shows the pages of the
// broker in Chromium, light, dark, and on a phone. Writes one picture per page to DIR/DATA (default: .tmp/screenshots), and contact
// sheets and the pictures of the guide to docs/public/broker. `generated` needs a database of SQLite that
// `cargo run --release -p contract-broker --example load EXECUTABLE sqlite:FILE S 1` filled. Requires `npm run build`, and
// the partners that `npm run test:partners` installs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fillShop } from './lib/shop.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'shop,empty' },
    out: { type: 'string', default: join(root, '.tmp', 'screenshots') },
    database: { type: 'string' },
  },
})
const partners = process.env.CONTRACT_PARTNERS ?? join(root, '.tmp', 'partners')
const { chromium } = createRequire(join(partners, 'package.json'))('playwright-core')

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 900 } },
]
const titles = {
  shop: 'Sample data: a fictional shop of 40 applications',
  generated: 'Generated data: 20 services, 2,000 versions, and 5,000 results',
  empty: 'An empty broker',
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  for (const data of values.data.split(',')) await show(data)
} finally {
  await browser.close()
}

/** Takes the pictures of one kind of data. */
async function show(data) {
  const broker = await start(data === 'generated' ? values.database : undefined)
  try {
    if (data === 'shop') await fillShop(broker.url)
    const out = join(values.out, data)
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out, { recursive: true })
    const pages = await pagesOf(broker.url, data)
    for (const look of looks) {
      const context = await browser.newContext(look)
      const page = await context.newPage()
      for (const [name, path] of pages) {
        await page.goto(broker.url + path)
        await page.screenshot({ path: join(out, `${name}-${look.name}.png`), fullPage: true })
        await page.screenshot({ path: join(out, `${name}-${look.name}-top.png`) })
      }
      await context.close()
    }
    const target = join(root, 'docs', 'public', 'broker')
    await sheet(out, data, pages, join(target, data === 'shop' ? 'contact-sheet.jpg' : `contact-sheet-${data}.jpg`))
    if (data === 'shop') {
      copyFileSync(join(out, 'overview-light-top.png'), join(target, 'overview.png'))
      copyFileSync(join(out, 'verdict-light-top.png'), join(target, 'can-i-deploy.png'))
    }
  } finally {
    await broker.stop()
  }
}

/** Returns the names and addresses of the pages. */
async function pagesOf(url, data) {
  const call = async (path) => {
    const response = await fetch(url + path, { headers: { Accept: 'application/hal+json' } })
    return response.json()
  }
  const names = { shop: ['checkout', 'payments', '4.12.0', 'production'], empty: ['web', 'users', '1', 'production'] }
  let [consumer, provider, version, environment] = names[data] ?? []
  if (data === 'generated') {
    environment = 'prod'
    const [newest] = (await call('/pacts/latest')).pacts
    consumer = newest._embedded.consumer.name
    provider = newest._embedded.provider.name
    version = newest._embedded.consumer._embedded.version.number
  }
  const pact = `/pacts/provider/${provider}/consumer/${consumer}/version/${version}`
  const matrix = `/matrix?q[][pacticipant]=${consumer}&q[][branch]=main&q[][pacticipant]=${provider}&latestby=cvpv`
  const pages = [
    ['overview', '/'],
    ['can-i-deploy', '/can-i-deploy'],
    ['environments', '/environments'],
    ['matrix-form', '/matrix'],
    ['graph', '/graph'],
    ['webhooks', '/webhooks'],
    ['webhook-form', '/webhooks/new'],
    ['tokens', '/admin/tokens'],
    ['users', '/admin/users'],
    ['audit', '/admin/audit'],
    ['retention', '/admin/retention'],
    ['deletions', '/deletions'],
    ['sign-in', '/login'],
    ['first-steps', '/first-steps'],
    ['not-found', '/pacticipants/chekout'],
  ]
  if (data === 'empty') return pages
  pages.push(
    ['application', `/pacticipants/${provider}`],
    ['versions', `/pacticipants/${provider}/versions`],
    ['branches', `/pacticipants/${provider}/branches`],
    ['provider-states', `/pacticipants/${provider}/provider-states`],
    ['activity', `/pacticipants/${provider}/activity`],
    ['version', `/pacticipants/${consumer}/versions/${version}`],
    ['contract', pact],
    ['changes', `${pact}/diff/previous-distinct`],
    ['verdict', `/can-i-deploy?pacticipant=${consumer}&version=${version}&environment=${environment}`],
    ['matrix', matrix],
    ['graph-focus', `/graph?focus=${provider}`],
    ['graph-environment', `/graph?environment=${environment}`],
  )
  const [webhook] = (await call('/webhooks'))._links['pb:webhooks']
  const page = await (await fetch(`${url}/webhooks`, { headers: { Accept: 'text/html' } })).text()
  const delivery = /href="(\/triggered-webhooks\/[^"]+)"/.exec(page)?.[1]
  if (webhook) pages.push(['webhook', new URL(webhook.href).pathname])
  if (delivery) pages.push(['delivery', delivery])
  return pages
}

/** Writes one picture with the top of all pages. */
async function sheet(folder, data, pages, file) {
  const picture = (name, look) => {
    const image = readFileSync(join(folder, `${name}-${look}-top.png`)).toString('base64')
    return `<img src="data:image/png;base64,${image}" height="240">`
  }
  const figures = pages.map(
    ([name]) =>
      `<figure><figcaption>${name}</figcaption>${looks.map((look) => picture(name, look.name)).join('')}</figure>`,
  )
  const page = await browser.newPage({ viewport: { width: 1720, height: 900 } })
  await page.setContent(`<style>
    body { margin: 24px; font: 600 20px sans-serif; display: grid; grid-template-columns: 1fr 1fr; gap: 20px }
    h1 { grid-column: 1 / -1; margin: 0 } figure { margin: 0 } figcaption { padding: 4px 0 }
    img { border: 1px solid #bbb; margin-right: 6px }
  </style><h1>${titles[data]}: light, dark, phone</h1>${figures.join('')}`)
  await page.screenshot({ path: file, fullPage: true, type: 'jpeg', quality: 62 })
  await page.close()
  console.log(file)
}

/** Starts a broker with the data of a database, or with a new one in memory. */
async function start(database) {
  const launcher = join(root, 'bin', 'contract-broker.js')
  const options = ['--listen', '127.0.0.1:0', '--allow-anonymous', '--stop-with-stdin']
  const db = ['--db', database === undefined ? 'memory' : `sqlite:${database}`]
  const child = spawn(process.execPath, [launcher, 'serve', ...options, ...db], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return {
    url: /http:\S+/.exec(line)[0],
    stop: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
