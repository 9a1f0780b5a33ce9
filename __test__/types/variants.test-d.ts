import {
  Contract,
  type ContractVariant,
  type MockServer,
  match,
  serveAll,
  type VariantAnswer,
  type VariantKind,
  type VariantOptions,
  type VariantSet,
} from 'contract'
import { contractTest } from 'contract/node-test'
import { expectTypeOf } from 'expect-type'

const contract = new Contract('web', 'orders', { variants: 'default' })

expectTypeOf(contract.serve({ variants: 'all' }, async () => 7)).resolves.toEqualTypeOf<number>()
expectTypeOf(contract.serve({ variants: { include: ['null'], max: 3 } }, () => 'a')).resolves.toEqualTypeOf<string>()
contract.serve(
  {
    variants: {
      include: ['default', 'casing', 'big-integer'],
      except: ['$.note'],
      pairs: true,
      seed: 1,
      unread: 'print',
      check: (_view: { readonly rows: string[] }, answer) => expectTypeOf(answer).toEqualTypeOf<VariantAnswer>(),
    },
  },
  () => ({ rows: [] }),
)
contract.uponReceiving('an order', 'Async').withBody({ note: match.nullable('a') })
contract.verify(() => undefined, 'Async', { variants: { include: ['null'] } })

expectTypeOf(contract.variants()).toEqualTypeOf<ContractVariant[]>()
for (const { name, kind, serve } of contract.variants({ variants: { include: ['null'] }, timeout: 100 })) {
  expectTypeOf(name).toEqualTypeOf<string>()
  expectTypeOf(kind).toEqualTypeOf<VariantKind | undefined>()
  expectTypeOf(serve(async ({ url }) => url)).resolves.toEqualTypeOf<string>()
}
expectTypeOf<MockServer['variant']>().toEqualTypeOf<string | undefined>()
expectTypeOf<VariantSet>().toEqualTypeOf<'off' | 'default' | 'values' | 'all'>()
expectTypeOf<VariantOptions['unread']>().toEqualTypeOf<'print' | 'error' | undefined>()

// @ts-expect-error there is no such set
contract.serve({ variants: 'everything' }, () => {})
// @ts-expect-error there is no such kind
contract.serve({ variants: { include: ['nulls'] } }, () => {})
// @ts-expect-error off cannot be combined with kinds
contract.serve({ variants: { include: ['off', 'null'] } }, () => {})
// @ts-expect-error a seed is a number
contract.serve({ variants: { seed: 'x' } }, () => {})
// @ts-expect-error each test receives one variant
contract.variants({ variants: { max: 3 } })
// @ts-expect-error several servers respond
serveAll([contract], { variants: 'default' }, () => {})
// @ts-expect-error a fixture cannot repeat its test
contractTest({ consumer: 'web', provider: 'orders', server: { variants: 'default' } })
