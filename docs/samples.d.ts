// What samples in the documentation may use without declaring it. __test__/docs.test.ts compiles every sample with this file.

import type * as fs from 'node:fs'
import type { RequestListener } from 'node:http'
import type * as api from 'contract'

declare global {
  const Contract: typeof api.Contract
  const Verifier: typeof api.Verifier
  const match: typeof api.match
  const generate: typeof api.generate
  const contract: api.Contract
  const verifier: api.Verifier
  const report: api.VerificationReport
  const formatReport: typeof api.formatReport
  const readFileSync: typeof fs.readFileSync
  const test: (name: string, body: () => unknown) => void
  const contractText: string
  const branch: string
  const commit: string
  const token: string
  const app: RequestListener
  const orders: {
    insert(order: object): Promise<{ readonly id: number }>
    clear(): Promise<void>
  }
  const queue: { subscribe(topic: string, listener: (text: string) => void): void }
  const warehouse: { pick(order: unknown): Promise<void> }
  function handleOrder(order: { id: number }): Promise<void>
  const priceList: { lookup(request: unknown): { readonly price: number } }
  function orderPlaced(order: object): object
  function freshToken(): Promise<string>
  function encodeOrder(order: object): Uint8Array
  const proto: string
  function showOrder(url: string): Promise<unknown>
  /** Globals of Mocha. */
  const describe: (name: string, body: () => void) => unknown
  const it: (name: string, body: () => Promise<void>) => unknown
  const after: (body: () => Promise<void>) => unknown
}
