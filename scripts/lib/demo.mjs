// The demo: a consumer test writes a contract, the provider passes the verification, and a changed field makes it fail. The
// second part repeats this with a broker, which determines what can be deployed. Runs the examples like their own tests.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Runs the demo. Returns true if all steps succeeded. */
export async function runDemo(root) {
  const shop = join(root, 'examples', 'shop')
  const contracts = join(shop, 'contracts')

  chapter(1, 'The web shop tests its client against a mock server that acts as the orders service.')
  show('examples/shop/web/orders-client.test.ts')
  rmSync(contracts, { recursive: true, force: true })
  if (!consumerTest(root)) return false

  chapter(2, 'The test has written what the client needs to a contract: a Pact Specification file.')
  const file = JSON.parse(readFileSync(join(contracts, 'web-orders.json'), 'utf8'))
  show(`examples/shop/contracts/web-orders.json: ${file.interactions.length} interactions; one of them:`)
  const interaction = file.interactions.find(({ description }) => description === 'a request for an order')
  console.log(indented(summaryOf(interaction)))

  chapter(3, 'The orders service is verified against the contract.')
  const service = await bundle(root, (text) => text)
  const passed = await verify(service, (verifier) => verifier.addSource(contracts))
  if (passed.error) return false

  chapter(
    4,
    'A developer renames "placedAt" to "placed" in the service. The verification finds the problem before it is deployed.',
  )
  const broken = await bundle(root, (text) => text.replace('placedAt: order.placedAt', 'placed: order.placedAt'))
  const failed = await verify(broken, (verifier) => verifier.addSource(contracts))
  if (failed.error === undefined) return false

  return withBroker(root, { service, broken })
}

/** The second part: two teams with separate pipelines and a broker. */
async function withBroker(root, { service, broken }) {
  const { startBroker } = await import('contract/broker')
  const file = join('.tmp', 'demo', 'broker.sqlite')
  for (const end of ['', '-wal', '-shm']) rmSync(join(root, file + end), { force: true })
  const broker = await startBroker({ db: `sqlite:${join(root, file)}` })
  try {
    const command = (...args) => commandOf(root, broker.url, args)
    chapter(5, 'A broker stores contracts and results for both teams. The shop publishes its contract.')
    if (command('create-environment', '--name', 'production', '--production') !== 0) return false
    if (command('publish', join('examples', 'shop', 'contracts'), ...versionArguments(root)) !== 0) return false
    const version = await publishedVersion(broker.url)

    chapter(
      6,
      'The orders service fetches the contracts to verify from the broker, and publishes the results of its version 1.0.',
    )
    const from = (version) => (verifier) =>
      verifier
        .brokerSource({ url: broker.url, useEnv: false, selector: { consumerVersions: [{ latest: true }] } })
        .setPublishOptions({ version, branch: 'main' })
    const published = await verify(service, from('1.0'), lastLines)
    if (published.error) return false

    const deploy = (name, version) => [
      command('can-i-deploy', '--pacticipant', name, '--version', version, '--to-environment', 'production'),
      () => command('record-deployment', '--pacticipant', name, '--version', version, '--environment', 'production'),
    ]
    chapter(7, 'Can they be deployed? First the service, then the shop, which uses it.')
    for (const [name, its] of [
      ['orders', '1.0'],
      ['web', version],
    ]) {
      const [verdict, record] = deploy(name, its)
      if (verdict !== 0 || record() !== 0) return false
    }

    chapter(8, 'Can version 2.0 of the service be deployed, with the renamed field?')
    const page = join(root, '.tmp', 'demo', 'report.html')
    const refused = await verify(broken, from('2.0'), (text) => text.trim(), page)
    console.log()
    const [verdict] = deploy('orders', '2.0')
    if (refused.error === undefined || verdict !== 1) return false
  } finally {
    await broker.stop()
  }
  const serve = `node bin/contract-broker.js serve --db sqlite:${file}`
  const report = pathToFileURL(join(root, '.tmp', 'demo', 'report.html')).href
  console.log(`\n${bold('Open the report of the failed verification in a browser:')} ${report}`)
  console.log(`${bold('Start the broker of this demo again:')} ${serve}\n`)
  return true
}

/** Detects version and branch from git or the CI system. Without both, the version is a number. */
function versionArguments(root) {
  const { status } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: 'ignore' })
  return status === 0
    ? ['--auto-detect-version-properties', '--branch', 'main']
    : ['--consumer-app-version', '1.0', '--branch', 'main']
}

/** The detected version, as recorded by the broker. */
async function publishedVersion(url) {
  const contract = await (await fetch(`${url}/pacts/provider/orders/consumer/web/latest`)).json()
  return contract._links['pb:consumer-version'].name
}

/** Runs `contract-broker` like a pipeline, and returns its exit code. */
function commandOf(root, url, args) {
  console.log(`   $ npx contract-broker ${args.join(' ')}`)
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CONTRACT|PACT)_BROKER_/.test(name))
  const { status, stdout, stderr } = spawnSync(process.execPath, [join('bin', 'contract-broker.js'), ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...Object.fromEntries(inherited), CONTRACT_BROKER_BASE_URL: url, COLUMNS: '120' },
  })
  console.log(indented(`${stdout}${stderr}`.trim()))
  console.log(`   (exit code ${status})\n`)
  return status
}

/** The most important lines of an interaction in a contract file. */
function summaryOf({ description, providerStates = [], request, response }) {
  const rules = Object.entries(response.matchingRules?.body ?? {})
  return [
    `${JSON.stringify(description)}${providerStates.map(({ name }) => `, given ${JSON.stringify(name)}`).join('')}`,
    `  request   ${request.method} ${request.path}`,
    `  response  ${response.status}, body ${JSON.stringify(response.body?.content)}`,
    ...rules.map(([path, { matchers }]) => `  rule      ${path}: ${matchers.map(({ match }) => match).join(', ')}`),
  ].join('\n')
}

/** The end of the output of a verification, for chapters 3 and 4. */
function lastLines(text) {
  return text.trim().split('\n').slice(-3).join('\n')
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
  const selection = ['--selectProjects', 'examples', '--testPathPatterns', 'orders-client', '--verbose']
  return spawnSync(process.execPath, [jest, ...selection], { cwd: root, stdio: 'inherit' }).status === 0
}

/** Returns the service as JavaScript, after `edit` has changed its source. */
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

async function verify({ ordersService, statesOf, Store }, change, display = (text) => text, page = undefined) {
  const { Verifier } = await import('contract')
  const store = new Store()
  const service = ordersService(store)
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const verifier = new Verifier('orders')
    .addTransport({ url: `http://127.0.0.1:${service.address().port}` })
    .stateHandler(statesOf(store))
    .setQuiet()
  change(verifier)
  const error = await verifier.verify().then(
    () => undefined,
    (failure) => failure,
  )
  console.log(indented(display(error === undefined ? verifier.output() : error.message)))
  if (page !== undefined) await verifier.writeReport('html', page)
  service.close()
  service.closeAllConnections()
  return { error }
}
