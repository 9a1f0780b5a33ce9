// Writes contracts with @pact-foundation/pact in versions 2, 3 and 4: `node write.cjs FOLDER-OF-PACT DIRECTORY`.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, dir] = process.argv.slice(2)
const { PactV2, PactV3, PactV4, MatchersV2, MatchersV3 } = createRequire(join(folder, 'package.json'))(
  '@pact-foundation/pact',
)
const common = { provider: 'users', dir, logLevel: 'error', log: join(dir, 'pact.log') }
const headers = { 'Content-Type': 'application/json' }

async function ask(url) {
  const response = await fetch(`${url}/users/7?fields=name`, { headers: { Accept: 'application/json' } })
  await response.text()
}

async function version2() {
  const { like, term, eachLike } = MatchersV2
  const pact = new PactV2({ ...common, consumer: 'web-v2', spec: 2 })
  await pact.setup()
  await pact.addInteraction({
    state: 'user 7 exists',
    uponReceiving: 'a request for user 7',
    withRequest: {
      method: 'GET',
      path: '/users/7',
      query: { fields: 'name' },
      headers: { Accept: 'application/json' },
    },
    willRespondWith: {
      status: 200,
      headers: { 'Content-Type': term({ generate: 'application/json', matcher: '^application/json' }) },
      body: { id: like(1), name: term({ generate: 'Ann', matcher: '^[A-Z].*' }), tags: eachLike('new', { min: 1 }) },
    },
  })
  await ask(pact.mockService.baseUrl)
  await pact.verify()
  await pact.finalize()
}

async function version3() {
  const { integer, string, eachLike, datetime, boolean, fromProviderState, regex } = MatchersV3
  const pact = new PactV3({ ...common, consumer: 'web-v3' })
  pact
    .given('user 7 exists', { id: 7 })
    .given('tags exist')
    .uponReceiving('a request for user 7')
    .withRequest({
      method: 'GET',
      path: fromProviderState('/users/\u0024{id}', '/users/7'),
      query: { fields: 'name' },
      headers: { Accept: 'application/json' },
    })
    .willRespondWith({
      status: 200,
      headers: { 'Content-Type': regex('^application/json', 'application/json') },
      body: {
        id: integer(1),
        name: string('Ann'),
        tags: eachLike(string('new')),
        created: datetime("yyyy-MM-dd'T'HH:mm:ss", '2024-01-02T03:04:05'),
        active: boolean(true),
      },
    })
  await pact.executeTest(({ url }) => ask(url))
}

async function version4() {
  const { integer, string, uuid, nullValue, decimal, atLeastLike } = MatchersV3
  const pact = new PactV4({ ...common, consumer: 'web-v4' })
  await pact
    .addInteraction()
    .given('user 7 exists', { id: 7 })
    .uponReceiving('a request for user 7')
    .withRequest('GET', '/users/7', (builder) =>
      builder.query({ fields: 'name' }).headers({ Accept: 'application/json' }),
    )
    .willRespondWith(200, (builder) =>
      builder.headers(headers).jsonBody({
        id: integer(1),
        name: string('Ann'),
        key: uuid('c3b7c2a4-9b3e-4f6a-8f33-0c2f5a1f9d11'),
        gone: nullValue(),
        score: decimal(1.5),
        tags: atLeastLike('new', 2),
      }),
    )
    .executeTest(({ url }) => ask(url))
}

/**
 * pact-js sometimes asks its mock server for the received requests before the mock server has recorded a request that it answered,
 * and reports it as missing.
 */
const RACE = /expected but not received|expected interactions did not match/
const repeated = (work, attempts = 10) =>
  work().catch((error) => {
    if (attempts === 1 || !RACE.test(error.message)) throw error
    return repeated(work, attempts - 1)
  })

repeated(version2)
  .then(() => repeated(version3))
  .then(() => repeated(version4))
