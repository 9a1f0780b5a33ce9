// Fills an empty broker with its sample data, for tests of pages and for screenshots. A webhook and a contract on a feature branch
// are added, so that there are deliveries.
//
// One story runs through the sample data: `checkout` 4.12.0 cannot go to production because `payments` 7.3.1 lacks a field, and
// `orders` 9.14.0 was deployed without a check and broke `returns`.

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

/** Fills the broker at `base`. */
export async function fillShop(base) {
  await call(`${base}/sample-data`, 'POST', {})
  await call(`${base}/webhooks`, 'POST', {
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
  const pact = await call(`${base}/pacts/provider/payments/consumer/subscriptions/latest`, 'GET')
  const [first] = pact.interactions
  const content = {
    consumer: { name: 'subscriptions' },
    provider: { name: 'payments' },
    interactions: [...pact.interactions, { ...first, key: 'yearly', description: 'a request for yearly payments' }],
    metadata: { pactSpecification: { version: '4.0' } },
  }
  await call(`${base}/contracts/publish`, 'POST', {
    pacticipantName: 'subscriptions',
    pacticipantVersionNumber: '5.0.0-rc.1',
    branch: 'feature/yearly-plans',
    contracts: [
      {
        consumerName: 'subscriptions',
        providerName: 'payments',
        specification: 'pact',
        contentType: 'application/json',
        content: Buffer.from(JSON.stringify(content)).toString('base64'),
      },
    ],
  })
}

if (process.argv[1]?.endsWith('shop.mjs') && process.argv[2]) await fillShop(process.argv[2])
