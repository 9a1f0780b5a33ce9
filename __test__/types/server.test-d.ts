import { Contract, type JournalEntry, type MockServer, match, type ServerMismatch, serveAll } from 'contract'
import { expectTypeOf } from 'expect-type'

const contract = new Contract('web', 'users', { timeout: 1000 })
const interaction = contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200)

expectTypeOf(contract.serve(async () => 7)).resolves.toEqualTypeOf<number>()
expectTypeOf(contract.serve({ inOrder: true, limits: { bodySize: 1 } }, () => 'text')).resolves.toEqualTypeOf<string>()
expectTypeOf(contract.serve({ only: [interaction] })).resolves.toEqualTypeOf<MockServer>()
expectTypeOf(interaction.times({ min: 1, max: 2 }).executeTest(({ url }) => url)).resolves.toEqualTypeOf<string>()
expectTypeOf(serveAll([contract], (one) => `${one}`)).resolves.toEqualTypeOf<string>()

expectTypeOf<MockServer['requests']>().toEqualTypeOf<readonly JournalEntry[]>()
expectTypeOf<JournalEntry['outcome']>().toEqualTypeOf<'matched' | 'mismatched' | 'not-found' | 'preflight'>()
expectTypeOf<MockServer['caCertificate']>().toEqualTypeOf<string | undefined>()

/** The type of a mismatch determines its other members. */
export function readable(mismatch: ServerMismatch): string {
  switch (mismatch.type) {
    case 'request-mismatch':
      return mismatch.mismatches.map(({ mismatch: text }) => text).join()
    case 'request-not-found':
      return mismatch.closest?.interaction.description ?? mismatch.request.path
    case 'request-refused':
      return `${mismatch.status}: ${mismatch.reason}`
    case 'missing-request':
      return mismatch.interaction.description
    case 'times-mismatch':
      return `${mismatch.min} to ${mismatch.max}, not ${mismatch.actual}`
    case 'plugin-mismatch':
      return mismatch.error ?? mismatch.plugin
  }
}

// @ts-expect-error unknown option
contract.serve({ prot: 80 })
// @ts-expect-error messages have no server
contract.serve({ only: [contract.uponReceiving('an event', 'Async')] })
// @ts-expect-error a bound requires a name
interaction.times({ most: 1 })
// @ts-expect-error a time cannot be a matcher
contract.serve({ timeout: match.int(7) })
