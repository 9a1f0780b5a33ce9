// The main job, told in four chapters: a consumer's test writes a contract, the provider honours it, the provider is broken
// in one field, and the verification says so. Runs the example as its own tests run it.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Tells the story; true when everything went as it should. */
export async function story(root) {
  const shop = join(root, 'examples', 'shop')
  const contracts = join(shop, 'contracts')

  chapter(1, 'The web shop tests its client. The library plays the orders service.')
  show('examples/shop/web/orders-client.test.ts')
  rmSync(contracts, { recursive: true, force: true })
  if (!consumerTest(root)) return false

  chapter(2, 'What the client needs is now a contract: a Pact Specification file.')
  const file = JSON.parse(readFileSync(join(contracts, 'web-orders.json'), 'utf8'))
  show(`examples/shop/contracts/web-orders.json: ${file.interactions.length} interactions; one of them:`)
  const interaction = file.interactions.find(({ description }) => description === 'a request for an order')
  console.log(indented(JSON.stringify(interaction, null, 2)))

  chapter(3, 'The orders service verifies that it honours the contract.')
  const service = await bundle(root, (text) => text)
  const passed = await verify(service, contracts)
  if (passed.error) return false

  chapter(
    4,
    'Somebody renames "placedAt" to "placed" in the service. The verification finds it before a customer does.',
  )
  const broken = await bundle(root, (text) => text.replace('placedAt: order.placedAt', 'placed: order.placedAt'))
  const failed = await verify(broken, contracts)
  return failed.error !== undefined
}

function chapter(number, title) {
  console.log(`\n${bold(`${number}. ${title}`)}\n`)
}

function show(text) {
  console.log(`   ${text}\n`)
}

function bold(text) {
  return process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[0m` : text
}

function indented(text) {
  return text.replace(/^/gm, '   ')
}

function consumerTest(root) {
  const jest = join('node_modules', 'jest', 'bin', 'jest.js')
  const which = ['--selectProjects', 'examples', '--testPathPatterns', 'orders-client', '--verbose']
  return spawnSync(process.execPath, [jest, ...which], { cwd: root, stdio: 'inherit' }).status === 0
}

/** The service as JavaScript, its source changed by `edit`. */
async function bundle(root, edit) {
  const folder = join(root, '.tmp', 'demo')
  mkdirSync(folder, { recursive: true })
  const entry = "export * from './service.ts'\nexport * from './states.ts'\nexport * from './store.ts'"
  const resolveDir = join(root, 'examples', 'shop', 'orders')
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const output = join(folder, `service-${process.hrtime.bigint()}.mjs`)
  writeFileSync(output, edit(outputFiles[0].text))
  return import(pathToFileURL(output))
}

async function verify({ ordersService, statesOf, Store }, contracts) {
  const { Verifier } = await import('contract')
  const store = new Store()
  const service = ordersService(store)
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const verifier = new Verifier('orders')
    .addSource(contracts)
    .addTransport({ url: `http://127.0.0.1:${service.address().port}` })
    .stateHandler(statesOf(store))
  const error = await verifier.verify().then(
    () => undefined,
    (failure) => failure,
  )
  console.log(indented(error === undefined ? verifier.output() : error.message))
  service.close()
  service.closeAllConnections()
  return { error }
}
