import type { StateMapping } from 'contract'
import type { Store } from './store.ts'

const line = { sku: 'AB-123', quantity: 2, price: 9.5 }

/** State handlers for the provider states in the contracts of the service. */
export function statesOf(store: Store): StateMapping {
  const fresh = (fill: () => void) => ({
    setup: () => {
      store.clear()
      fill()
    },
    teardown: () => store.clear(),
  })
  const order = (customer: string, id?: number) => ({
    ...(id === undefined ? {} : { id }),
    customer,
    status: 'open' as const,
    placedAt: new Date('2024-05-01T10:30:00Z'),
    lines: [line],
  })
  return {
    'no order exists': fresh(() => {}),
    'an order exists': {
      setup: ({ id, customer }: { id: number; customer: string }) => {
        store.clear()
        store.addCustomer(customer, 'Alice')
        store.add(order(customer, id))
      },
      teardown: () => store.clear(),
    },
    'a customer has open orders': (_action, { customer, count }: { customer: string; count: number }) => {
      store.clear()
      store.addCustomer(customer, 'Alice')
      for (let i = 0; i < count; i += 1) store.add(order(customer))
    },
    'a customer may order': (_action, { customer }: { customer: string }) => {
      store.clear()
      store.addCustomer(customer, 'Alice')
    },
  }
}
