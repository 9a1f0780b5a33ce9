// With @pact-foundation/pact: its verifier accepts each variant as the response of the provider.
import { execFile } from 'node:child_process'
import { request as get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { Contract, match } from 'contract'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { order } from '../support/variant-clients.ts'

const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const run = promisify(execFile)

/** The response of a provider, as it was sent. */
interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** Without `customer`: other Pact implementations do not accept null instead of an object, as the warning for it says. */
const { customer: _, ...supported } = order()
const body = () => ({
  ...supported,
  total: match.decimal(19.5),
  isGift: match.bool(true),
  placedOn: match.date('2024-05-06', { format: 'yyyy-MM-dd' }),
  placedAt: match.datetime('2024-05-06T07:08:09Z', { format: "yyyy-MM-dd'T'HH:mm:ssXXX" }),
  code: match.regex('AB-12', /^[A-Z]{2}-\d+$/),
  hint: match.includes('fragile'),
  version: match.semver('1.2.3'),
})

/** Defines an interaction that responds with an order. */
function define(contract: Contract, description: string, path: string): void {
  contract
    .uponReceiving(description)
    .withRequest('GET', path)
    .willRespondWith(match.status('success', 200))
    .withBody(body())
}

/** Returns the response to a request without interpreting it. */
function received(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      const { statusCode: status = 0, rawHeaders } = response
      // The other headers belong to the connection.
      const headers = rawHeaders.filter((_, at) => /^(content-type|x-)/i.test(rawHeaders[at - (at % 2)] ?? ''))
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        text += data
      })
      response.on('end', () => resolve({ status, headers, body: text }))
    })
      .on('error', reject)
      .end()
  })
}

/** Verifies a contract that has one interaction for each answer, and returns the verdicts by their descriptions. */
async function verify(answers: ReadonlyMap<string, Answer>): Promise<Record<string, string>> {
  const contract = new Contract('web', 'users')
  const served = [...answers]
  for (const [at, [description]] of served.entries()) define(contract, description, `/orders/${at}`)
  const file = await contract.writeFile(temporaryDirectory())
  return withProvider(
    (request, response) => {
      const [, answer] = served[Number(request.url?.split('/').at(-1))] as [string, Answer]
      response.writeHead(answer.status, answer.headers as string[]).end(answer.body)
    },
    async (url) => {
      const args = [join(__dirname, 'support', 'verify.cjs'), partners, file, url]
      const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 28 })
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    },
  )
}

test('every variant of an order is accepted by the verifier of pact-js', async () => {
  const contract = new Contract('web', 'users')
  define(contract, 'an order', '/orders/7')
  const answers = new Map<string, Answer>()
  for (const { name, serve } of contract.variants({ variants: { include: ['all', 'big-integer'] } })) {
    answers.set(name, await serve(({ url }) => received(`${url}/orders/7`)))
  }
  // More than one of each kind that this contract has.
  expect(answers.size).toBeGreaterThan(60)
  const verdicts = await verify(answers)
  expect(Object.entries(verdicts).filter(([, verdict]) => verdict !== 'passed')).toEqual([])
  expect(Object.keys(verdicts)).toHaveLength(answers.size)
})

test('the verifier of pact-js rejects answers that the contract does not allow', async () => {
  const contract = new Contract('web', 'users')
  define(contract, 'an order', '/orders/7')
  const example = await contract.serve(({ url }) => received(`${url}/orders/7`))
  const changed = (changes: object) => ({
    ...example,
    body: JSON.stringify({ ...JSON.parse(example.body), ...changes }),
  })
  const answers = new Map([
    ['example', example],
    ['another state', changed({ state: 'lost' })],
    ['a null id', changed({ id: null })],
  ])
  expect(await verify(answers)).toEqual({ example: 'passed', 'another state': 'failed', 'a null id': 'failed' })
})
