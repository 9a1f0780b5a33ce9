// What the examples in documentation comments of src/ use without declaring it, in addition to samples.d.ts.

import type * as assert_ from 'node:assert/strict'
import type * as https_ from 'node:https'
import type * as jest from '@jest/globals'
import type * as api from 'contract'

declare global {
  const bodyHandler: typeof api.bodyHandler
  const removeObsolete: typeof api.removeObsolete
  const serveAll: typeof api.serveAll
  const startMessageEndpoint: typeof api.startMessageEndpoint
  const xml: typeof api.xml
  const assert: typeof assert_
  const expect: typeof jest.expect
  const https: typeof https_
  const interaction: api.HttpInteraction
  const message: api.AsyncMessageInteraction
  const server: api.MockServer
  const usersContract: api.Contract
  const ordersContract: api.Contract
  const users: { insert(user: object): Promise<void> }
  const sampleOrder: object
  const label: Uint8Array
  interface OrderPlaced {
    readonly id: number
  }
  const invoices: { add(order: OrderPlaced): void }
  function placeOrder(order: unknown): void
  class Shop {
    constructor(users: string, orders: string)
    checkout(): Promise<void>
  }
}
