import {
  type BrokerSelectorBuilder,
  type JsonObject,
  type Publication,
  type VerificationReport,
  type VerificationSummary,
  Verifier,
} from 'contract'
import { expectTypeOf } from 'expect-type'

interface States {
  'user exists': { id: number }
  'no user exists': Record<string, never>
}

const verifier = new Verifier('users')

// Parameters have the types of the state.
verifier.stateHandler<States>({
  'user exists': (action, { id }) => {
    expectTypeOf(action).toEqualTypeOf<'setup' | 'teardown'>()
    expectTypeOf(id).toBeNumber()
  },
  'no user exists': { setup: async () => ({ id: 7 }) },
})

verifier.stateHandler<States>({
  'user exists': () => {},
  // @ts-expect-error unknown state
  'users exist': () => {},
})

// @ts-expect-error a state is missing
verifier.stateHandler<States>({ 'user exists': () => {} })

// Handlers can declare their parameter types.
verifier.stateHandler({ 'user exists': async (_action, { id }: { id: number }) => ({ id }) })
verifier.stateHandler((state, action, parameters) => {
  expectTypeOf(state).toBeString()
  expectTypeOf(action).toEqualTypeOf<'setup' | 'teardown'>()
  expectTypeOf(parameters).toEqualTypeOf<JsonObject | null>()
})

// @ts-expect-error unknown option
new Verifier('users', { pactUrls: [] })

expectTypeOf(verifier.verify()).resolves.toEqualTypeOf<VerificationReport>()
expectTypeOf(verifier.results?.summary).toEqualTypeOf<VerificationSummary | undefined>()
expectTypeOf<VerificationSummary['pending']>().toBeNumber()

// `build` returns the verifier; without a builder, the call returns the verifier.
const builder = verifier.brokerSource({ url: 'http://127.0.0.1:9292', selector: true })
expectTypeOf(builder).toEqualTypeOf<BrokerSelectorBuilder<Verifier>>()
expectTypeOf(
  builder.includePending().consumerVersion({ branch: true, consumer: 'web' }).build(),
).toEqualTypeOf<Verifier>()
expectTypeOf(verifier.brokerSource()).toEqualTypeOf<Verifier>()
expectTypeOf(verifier.brokerSource(new URL('http://127.0.0.1:9292'))).toEqualTypeOf<Verifier>()
verifier.brokerSource({ selector: { includeWipSince: new Date(), consumerVersions: [{ mainBranch: true }] } })

// @ts-expect-error a builder is not a verifier
builder.verify()
// @ts-expect-error unknown key
builder.consumerVersion({ brnch: 'main' })
// @ts-expect-error a builder cannot be among the options of a new verifier
new Verifier('users', { brokerSource: { selector: true } })

expectTypeOf(verifier.setPublishOptions('1.0.0', 'main')).toEqualTypeOf<Verifier>()
verifier.setPublishOptions({ version: '1.0.0', branch: 'main', tags: ['dev'], buildUrl: 'https://ci.example/1' })
// @ts-expect-error the version is required
verifier.setPublishOptions({ branch: 'main' })

expectTypeOf<VerificationReport['publication']>().toEqualTypeOf<Publication | undefined>()
expectTypeOf<NonNullable<VerificationReport['contracts'][0]['origin']>['kind']>().toEqualTypeOf<
  'file' | 'url' | 'document' | 'broker'
>()
