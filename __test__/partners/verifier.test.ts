// Contract files of this package, verified by pact-js with a real provider.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { Contract, match } from 'contract'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const support = (name: string) => readFileSync(join(__dirname, '..', 'support', name))

/** Verifies a file with pact-js, with a provider that satisfies it or not. Returns the states that it set up. */
async function verify(file: string, manners = 'polite'): Promise<string[]> {
  const env = { ...process.env, PACT_DO_NOT_TRACK: 'true' }
  const { stdout } = await run(process.execPath, [join(__dirname, 'provider.mjs'), file, manners], { env })
  return JSON.parse(stdout.split('\n').at(-1) ?? '')
}

/** What every version can express. */
function define(contract: Contract): void {
  contract
    .uponReceiving('a user')
    .given('user exists')
    .withRequest('GET', '/users/7')
    .withHeader('Accept', 'application/json')
    .willRespondWith(200)
    .withHeader('X-Request-Id', match.regex('1234', /[0-9a-f]+/))
    .withBody({ id: match.like(7), name: match.like('Bob'), tags: match.eachLike('any'), active: true })
  contract
    .uponReceiving('a user that is not there')
    .given('there are no users')
    .withRequest('GET', '/users/8')
    .willRespondWith(404)
  contract
    .uponReceiving('a search')
    .given('user exists')
    .withRequest('GET', '/users')
    .withQueryParameters([
      ['tag', 'a'],
      ['tag', 'b c'],
    ])
    .willRespondWith(200)
    .withBody({ users: match.eachLike({ name: match.regex('Bob', /[A-Z][a-z]+/) }), next: null })
  contract
    .uponReceiving('a new user')
    .withRequest('POST', '/users')
    .withBody({ name: match.like('Cleo') })
    .willRespondWith(201)
    .withBody({ id: match.like(1), name: 'Cleo' })
  // No form: the proxy of pact-js between its verifier and the provider converts it to JSON.
  contract
    .uponReceiving('a note to keep')
    .withRequest('PUT', '/note')
    .withBody('buy milk', 'text/plain')
    .willRespondWith(204)
  contract
    .uponReceiving('a note')
    .withRequest('GET', '/note')
    .willRespondWith(200)
    .withBody('remember the milk', 'text/plain')
  contract.uponReceiving('an end').withRequest('DELETE', '/users/7').willRespondWith(204)
}

/** Added in V3: parameters of states, further rules, generators, binary bodies. */
function defineMore(contract: Contract): void {
  contract
    .uponReceiving('a user in full')
    .given('user exists', { parameters: { id: 12, name: 'Dora' } })
    .withRequest('GET', match.regex('/users/12', /\/users\/\d+/))
    .willRespondWith(200)
    .withBody({
      id: match.int(1),
      name: 'Dora',
      rating: match.float(1.5),
      active: match.bool(false),
      born: match.date('2000-01-01'),
      seen: match.datetime('2000-01-01T00:00:00Z'),
      key: match.uuid(),
      more: match.like({ than: 'something' }),
    })
  contract
    .uponReceiving('a page')
    .withRequest('GET', '/page')
    .willRespondWith(200)
    .withBinaryBody(support('page.pdf'), { contentType: 'application/pdf' })
  contract
    .uponReceiving('an image')
    .withRequest('PUT', '/image')
    .withBinaryBody(support('pixels.png'), { contentType: 'image/png' })
    .willRespondWith(204)
}

describe.each(['V2', 'V3', 'V4'] as const)('a file in %s', (specification) => {
  async function write(): Promise<string> {
    const contract = new Contract('web', 'users', { specification })
    define(contract)
    if (specification !== 'V2') defineMore(contract)
    return contract.writeFile(temporaryDirectory())
  }

  test('is accepted, and a provider that satisfies it passes', async () => {
    const states = await verify(await write())

    const expected = ['there are no users', 'user exists 7', 'user exists 7']
    expect([...new Set(states)].sort()).toEqual(
      [...new Set(specification === 'V2' ? expected : [...expected, 'user exists 12'])].sort(),
    )
  })

  test('has the same meaning: a provider that does not satisfy it fails', async () => {
    await expect(verify(await write(), 'rude')).rejects.toThrow(
      "Expected '7' (String) to be the same type as 7 (Integer)",
    )
  })
})

test('a file that a consumer’s test has written through the mock server is accepted, too', async () => {
  const directory = temporaryDirectory()
  const contract = new Contract('web', 'users', { directory })
  contract
    .uponReceiving('a user')
    .given('user exists', { parameters: { id: 3 } })
    .withRequest('GET', '/users/3')
    .willRespondWith(200)
    .withBody({ id: match.int(3) })
    .testName('shows a user')
    .addTextComment('seen by a partner')
    .times({ max: 5 })
  await contract.serve(({ url }) => fetch(`${url}/users/3`))

  expect(await verify(join(directory, 'web-users.json'))).toContain('user exists 3')
})
