// Fills an empty broker with an invented shop of 40 applications, for tests of pages and for screenshots.
//
// One story runs through it: `checkout` 4.12.0 cannot go to production because `payments` 7.3.1 lacks a field, and
// `orders` 9.14.0 was deployed without a check and broke `returns`.

/** Consumers with their providers. */
const INTEGRATIONS = {
  'storefront-web': ['storefront-bff', 'auth'],
  'mobile-app': ['mobile-bff', 'auth'],
  'store-pos': ['checkout', 'inventory', 'auth'],
  'back-office': ['orders', 'customers', 'catalog', 'auth'],
  'partner-portal': ['marketplace-api', 'auth'],
  'storefront-bff': ['catalog', 'cart', 'checkout', 'search', 'recommendations', 'reviews', 'wishlist', 'pricing'],
  'mobile-bff': ['catalog', 'cart', 'checkout', 'search', 'promotions'],
  'marketplace-api': ['orders', 'catalog', 'supplier-gateway'],
  cart: ['pricing', 'catalog', 'promotions'],
  checkout: ['orders', 'payments', 'shipping', 'loyalty', 'gift-cards', 'fraud-check', 'tax', 'addresses'],
  returns: ['orders', 'payments', 'shipping'],
  subscriptions: ['orders', 'payments', 'customers'],
  wishlist: ['catalog', 'customers'],
  recommendations: ['catalog', 'orders'],
  pickup: ['orders', 'inventory', 'notifications'],
  reviews: ['customers', 'media'],
  orders: ['payments', 'inventory', 'invoicing', 'notifications', 'audit-log'],
  search: ['catalog'],
  loyalty: ['customers'],
  promotions: ['catalog'],
  customers: ['addresses', 'notifications'],
  'fraud-check': ['customers'],
  shipping: ['warehouse', 'addresses'],
  payments: ['currency', 'audit-log'],
  catalog: ['media'],
  pricing: ['currency', 'tax'],
  inventory: ['warehouse'],
  invoicing: ['tax', 'email-sender'],
  notifications: ['email-sender', 'sms-sender'],
  'supplier-gateway': ['inventory'],
}

const VERSIONS = {
  checkout: ['4.11.3', '4.12.0'],
  payments: ['7.3.1', '7.4.0'],
  orders: ['9.13.2', '9.14.0'],
  returns: ['3.1.4', '3.2.0'],
  loyalty: ['2.7.9', '2.8.0'],
  catalog: ['11.2.4', '11.3.0'],
  customers: ['5c1f0a9d2b6e4870', 'ec8df7d4e83e5a11'],
  'supplier-gateway': ['0.3.0', '0.4.0'],
}

const TEAMS = {
  checkout: 'checkout',
  cart: 'checkout',
  payments: 'payments',
  currency: 'payments',
  orders: 'fulfillment',
  returns: 'fulfillment',
  shipping: 'fulfillment',
  loyalty: 'loyalty',
  catalog: 'catalog',
  search: 'catalog',
}

const jsonBody = (content) => ({ content, contentType: 'application/json', encoded: false })
const rule = (...matchers) => ({ combine: 'AND', matchers })
const bodyRules = (rules) =>
  Object.fromEntries(Object.entries(rules).map(([path, matchers]) => [path, rule(...[matchers].flat())]))

/** An ordinary interaction of an integration. */
function ordinary(provider, index) {
  const resource = provider.replace(/-(api|bff|check|gateway|sender|log)$/, '')
  const list = index % 2 === 1
  return {
    type: 'Synchronous/HTTP',
    key: `${provider}-${index}`,
    description: list ? `a request for all ${resource} of a customer` : `a request for ${resource} 81`,
    providerStates: list ? [{ name: `no ${resource} exist` }] : [{ name: `${resource} 81 exists` }],
    request: {
      method: 'GET',
      path: list ? `/${resource}` : `/${resource}/81`,
      ...(list ? { query: { customer: ['4711'], limit: ['20'] } } : {}),
      headers: { Accept: ['application/json'] },
    },
    response: {
      status: 200,
      headers: { 'Content-Type': ['application/json'] },
      body: jsonBody(
        list
          ? { items: [{ id: '81', status: 'open' }], next: null }
          : { id: '81', status: 'open', total: 49.9, updatedAt: '2026-11-20T09:12:00Z' },
      ),
      matchingRules: {
        body: list
          ? bodyRules({ '$.items': { match: 'type', min: 1 }, '$.items[*].id': { match: 'type' } })
          : bodyRules({
              '$.id': { match: 'type' },
              '$.status': { match: 'regex', regex: 'open|shipped|cancelled' },
              '$.total': { match: 'decimal' },
              '$.updatedAt': { match: 'datetime', format: "yyyy-MM-dd'T'HH:mm:ssXXX" },
            }),
      },
    },
  }
}

/** The contract of the story: the newer version of `checkout` needs `expiresAt`. */
function authorization(isNewer) {
  const amount = { value: 49.9, currency: 'EUR' }
  const authorization = {
    id: 'a_81f3',
    status: 'authorized',
    amount: 49.9,
    ...(isNewer ? { expiresAt: '2026-11-22T18:30:00Z' } : {}),
  }
  const interaction = {
    type: 'Synchronous/HTTP',
    key: 'authorize',
    description: 'a request to authorize a payment',
    providerStates: [
      { name: 'customer 4711 exists' },
      { name: 'card 4242 is valid', params: { currency: 'EUR', limit: 500 } },
    ],
    request: {
      method: 'POST',
      path: '/authorizations',
      headers: {
        'Content-Type': ['application/json'],
        'Idempotency-Key': ['5f0c2a9e-77b1-4d3e-9a51-0d8c2e7f4b60'],
      },
      body: jsonBody({ customerId: 4711, amount, card: 'tok_4242' }),
      matchingRules: {
        header: { 'Idempotency-Key': rule({ match: 'regex', regex: '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' }) },
        body: bodyRules({
          '$.customerId': { match: 'integer' },
          '$.amount.value': { match: 'decimal' },
          '$.amount.currency': { match: 'regex', regex: '[A-Z]{3}' },
        }),
      },
    },
    response: {
      status: 201,
      headers: { 'Content-Type': ['application/json'], Location: ['/authorizations/a_81f3'] },
      body: jsonBody({ authorization, checks: [{ name: 'cvc', passed: true }] }),
      matchingRules: {
        header: { Location: rule({ match: 'regex', regex: '/authorizations/a_\\w+' }) },
        body: bodyRules({
          '$.authorization.id': { match: 'regex', regex: 'a_\\w+' },
          '$.authorization.status': isNewer ? { match: 'regex', regex: 'authorized|review' } : { match: 'type' },
          '$.authorization.amount': { match: 'decimal' },
          ...(isNewer
            ? { '$.authorization.expiresAt': { match: 'datetime', format: "yyyy-MM-dd'T'HH:mm:ssXXX" } }
            : {}),
          '$.checks': { match: 'type', min: 1 },
          '$.checks[*].name': { match: 'type' },
          '$.checks[*].passed': { match: 'boolean' },
        }),
      },
    },
    comments: {
      text: [
        'We show the customer how long the amount is reserved. See [ADR 31](https://adr.fernway.example/31).',
        '- **EUR and SEK only.** Other currencies go through `/quotes` first.',
      ],
      testname: 'checkout reserves the amount',
    },
  }
  const others = [
    ['declined', 'a request to authorize with a declined card', 402, { code: 'card_declined', retry: false }],
    ['limit', 'a request above the limit of a customer', 402, { code: 'limit_exceeded', retry: true }],
    ['unknown', 'a request for an unknown authorization', 404, { code: 'unknown_authorization' }],
  ].map(([key, description, status, content]) => ({
    type: 'Synchronous/HTTP',
    key,
    description,
    providerStates: key === 'declined' ? [{ name: 'card 4000 is declined' }] : [],
    request: { method: key === 'unknown' ? 'GET' : 'POST', path: '/authorizations' },
    response: {
      status,
      headers: { 'Content-Type': ['application/json'] },
      body: jsonBody(content),
      matchingRules: { body: bodyRules({ '$.retry': { match: 'boolean' } }) },
    },
  }))
  const event = {
    type: 'Asynchronous/Messages',
    key: 'captured',
    description: 'a “payment captured” event',
    providerStates: [{ name: 'authorization a_81f3 is captured' }],
    contents: jsonBody({ id: 'a_81f3', capturedAt: '2026-11-22T18:30:00Z' }),
    matchingRules: { body: bodyRules({ '$.id': { match: 'type' } }) },
    metadata: { contentType: 'application/json', topic: 'payments.captured' },
  }
  return [interaction, ...others, event]
}

function document(consumer, provider, isNewer) {
  let interactions
  if (consumer === 'checkout' && provider === 'payments') interactions = authorization(isNewer)
  else {
    const count = 1 + ((consumer.length + provider.length) % 4)
    interactions = Array.from({ length: count }, (_, index) => ordinary(provider, index))
    if (isNewer && ['checkout>loyalty', 'mobile-bff>promotions'].includes(`${consumer}>${provider}`)) {
      interactions[0].response.body.content.points = 120
    }
    if (isNewer && consumer === 'returns' && provider === 'orders') {
      const { body, matchingRules } = interactions[0].response
      body.content.refundable = true
      matchingRules.body['$.refundable'] = rule({ match: 'boolean' })
    }
  }
  return {
    consumer: { name: consumer },
    provider: { name: provider },
    interactions,
    metadata: { pactSpecification: { version: '4.0' } },
  }
}

/** Calls `url` with JSON, and returns the parsed response. */
async function call(url, method, body) {
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/hal+json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Publishes applications, contracts, results, deployments, and a webhook to the broker at `base`. */
export async function fillShop(base) {
  const at = (path) => `${base}${path}`
  const names = [...new Set(Object.entries(INTEGRATIONS).flatMap(([consumer, providers]) => [consumer, ...providers]))]
  const versionsOf = (name) =>
    VERSIONS[name] ?? [`${(name.length % 9) + 1}.${name.length}.0`, `${(name.length % 9) + 1}.${name.length}.1`]
  for (const name of names) {
    const repositoryUrl = `https://github.example/fernway/${name}`
    await call(at('/pacticipants'), 'POST', { name, mainBranch: 'main', repositoryUrl })
    if (TEAMS[name]) await call(at(`/pacticipants/${name}/labels/team:${TEAMS[name]}`), 'PUT', {})
  }
  await call(at('/webhooks'), 'POST', {
    description: 'payments: verify changed contracts',
    provider: { name: 'payments' },
    events: [{ name: 'contract_requiring_verification_published' }],
    request: {
      method: 'POST',
      url: 'https://ci.fernway.example/jobs/payments',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer hidden' },
      body: { consumer: '${pactbroker.consumerName}' },
    },
  })
  const environments = {}
  for (const [name, production] of [
    ['staging', false],
    ['production', true],
  ]) {
    const body = { name, displayName: name, production }
    environments[name] = (await call(at('/environments'), 'POST', body)).uuid
  }
  for (const isNewer of [false, true]) {
    for (const [consumer, providers] of Object.entries(INTEGRATIONS)) {
      const contracts = providers.map((provider) => ({
        consumerName: consumer,
        providerName: provider,
        specification: 'pact',
        contentType: 'application/json',
        content: Buffer.from(JSON.stringify(document(consumer, provider, isNewer))).toString('base64'),
      }))
      await call(at('/contracts/publish'), 'POST', {
        pacticipantName: consumer,
        pacticipantVersionNumber: versionsOf(consumer)[Number(isNewer)],
        branch: 'main',
        buildUrl: `https://ci.fernway.example/${consumer}/builds/${isNewer ? 8812 : 8790}`,
        contracts,
      })
    }
  }
  for (const name of names) {
    for (const version of versionsOf(name)) {
      await call(at(`/pacticipants/${name}/branches/main/versions/${version}`), 'PUT', {})
    }
  }

  const verify = async (consumer, provider, [consumerVersion, providerVersion], failure) => {
    const pact = await call(
      at(`/pacts/provider/${provider}/consumer/${consumer}/version/${versionsOf(consumer)[consumerVersion]}`),
      'GET',
    )
    const testResults = pact.interactions.map((interaction, index) => ({
      interactionId: interaction._id ?? interaction.key,
      interactionDescription: interaction.description,
      success: !(failure && index === 0),
      ...(failure && index === 0 ? { mismatches: [failure] } : {}),
    }))
    await call(pact._links['pb:publish-verification-results'].href, 'POST', {
      success: failure === undefined,
      providerApplicationVersion: versionsOf(provider)[providerVersion],
      buildUrl: `https://ci.fernway.example/${provider}/builds/${4470 + providerVersion}`,
      testResults,
    })
  }
  const missing = (path, field) => ({
    attribute: 'body',
    identifier: path,
    description: `Expected ${path} to be a date and time, but it is missing`,
    expected: field,
    actual: null,
  })
  for (const [consumer, providers] of Object.entries(INTEGRATIONS)) {
    for (const provider of providers) {
      const pair = `${consumer}>${provider}`
      if (pair === 'marketplace-api>supplier-gateway') continue
      await verify(consumer, provider, [0, 0])
      if (pair === 'checkout>loyalty' || pair === 'mobile-bff>promotions') continue
      if (pair === 'checkout>payments') {
        await verify(consumer, provider, [0, 1])
        await verify(consumer, provider, [1, 1])
        await verify(consumer, provider, [1, 0], missing('$.authorization.expiresAt', '"2026-11-22T18:30:00Z"'))
      } else if (pair === 'returns>orders') {
        await verify(consumer, provider, [1, 0])
        await verify(consumer, provider, [1, 1], missing('$.refundable', 'true'))
      } else {
        await verify(consumer, provider, [1, 0])
        await verify(consumer, provider, [1, 1])
      }
    }
  }
  const ahead = new Set(['checkout', 'payments', 'catalog', 'search', 'mobile-bff', 'loyalty'])
  for (const name of names) {
    if (name === 'supplier-gateway') continue
    const [older, newer] = versionsOf(name)
    const deploy = (version, environment) =>
      call(
        at(`/pacticipants/${name}/versions/${version}/deployed-versions/environment/${environments[environment]}`),
        'POST',
        {},
      )
    await deploy(newer, 'staging')
    if (name !== 'recommendations') await deploy(ahead.has(name) ? older : newer, 'production')
  }
}

if (process.argv[1]?.endsWith('shop.mjs') && process.argv[2]) await fillShop(process.argv[2])
