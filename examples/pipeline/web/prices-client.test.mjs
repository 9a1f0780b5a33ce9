import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Contract, match } from 'contract'
import { priceOf } from './prices-client.mjs'

const contract = new Contract('web', 'prices', { directory: './contracts' })

test('the price of an article', async () => {
  contract
    .uponReceiving('a request for the price of an article')
    .given('an article has a price', { parameters: { article: 'AB-1', cents: 950 } })
    .withRequest('GET', '/prices/AB-1')
    .willRespondWith(200)
    .withBody({ cents: match.int(950) })

  await contract.serve(async ({ url }) => assert.equal(await priceOf(url, 'AB-1'), 950))
})

test('an article without a price', async () => {
  contract
    .uponReceiving('a request for the price of an unknown article')
    .withRequest('GET', '/prices/unknown')
    .willRespondWith(404)

  await contract.serve(async ({ url }) => assert.equal(await priceOf(url, 'unknown'), undefined))
})
