import { type JsonObject, type VerificationReport, type VerificationSummary, Verifier } from 'contract'
import { expectTypeOf } from 'expect-type'

interface States {
  'user exists': { id: number }
  'no user exists': Record<string, never>
}

const verifier = new Verifier('users')

// Parameters are those of the state.
verifier.stateHandler<States>({
  'user exists': (action, { id }) => {
    expectTypeOf(action).toEqualTypeOf<'setup' | 'teardown'>()
    expectTypeOf(id).toBeNumber()
  },
  'no user exists': { setup: async () => ({ id: 7 }) },
})

verifier.stateHandler<States>({
  'user exists': () => {},
  // @ts-expect-error there is no such state
  'users exist': () => {},
})

// @ts-expect-error a state is missing
verifier.stateHandler<States>({ 'user exists': () => {} })

// Handlers may say themselves which parameters they want.
verifier.stateHandler({ 'user exists': async (_action, { id }: { id: number }) => ({ id }) })
verifier.stateHandler((state, action, parameters) => {
  expectTypeOf(state).toBeString()
  expectTypeOf(action).toEqualTypeOf<'setup' | 'teardown'>()
  expectTypeOf(parameters).toEqualTypeOf<JsonObject | null>()
})

// @ts-expect-error there is no such option
new Verifier('users', { pactUrls: [] })

expectTypeOf(verifier.verify()).resolves.toEqualTypeOf<VerificationReport>()
expectTypeOf(verifier.results?.summary).toEqualTypeOf<VerificationSummary | undefined>()
expectTypeOf<VerificationSummary['pending']>().toBeNumber()
