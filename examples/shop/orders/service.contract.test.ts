import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Verifier } from 'contract'
import { ordersService } from './service.ts'
import { statesOf } from './states.ts'
import { Store } from './store.ts'

const contracts = fileURLToPath(new URL('../contracts', `file://${__filename}`))
const store = new Store()
const service = ordersService(store)

beforeAll(async () => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
})

afterAll(async () => {
  service.close()
  service.closeAllConnections()
  await once(service, 'close')
})

test('the orders service satisfies the contracts of its consumers', async () => {
  const { port } = service.address() as AddressInfo

  const report = await new Verifier('orders')
    .addSource(contracts)
    .addTransport({ url: `http://127.0.0.1:${port}` })
    .stateHandler(statesOf(store))
    .verify()

  expect(report.summary).toMatchObject({ total: 4, passed: 4, failed: 0 })
})
