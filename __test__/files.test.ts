import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Contract, ContractFileError } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

function contractWith(description: string, status = 200): Contract {
  const contract = new Contract('web', 'users')
  contract.uponReceiving(description).withRequest('GET', '/users').willRespondWith(status)
  return contract
}

const read = (directory: string) => readFileSync(join(directory, 'web-users.json'), 'utf8')
const descriptions = (directory: string) =>
  JSON.parse(read(directory)).interactions.map(({ description }: { description: string }) => description)

test('the file does not depend on the order of writing', async () => {
  const [one, two] = [temporaryDirectory(), temporaryDirectory()]

  for (const description of ['b', 'a', 'c', 'a']) await contractWith(description).writeFile(one)
  for (const description of ['c', 'b', 'a']) await contractWith(description).writeFile(two)

  expect(read(one)).toBe(read(two))
  expect(descriptions(one)).toEqual(['a', 'b', 'c'])
  expect(readdirSync(one)).toEqual(['web-users.json'])
})

test('a later run replaces interactions of an earlier run', async () => {
  const directory = temporaryDirectory()
  const earlier = {
    description: 'a',
    type: 'Synchronous/HTTP',
    request: { path: '/old' },
    response: { status: 500 },
    'x-owner': 'team',
  }
  const file = {
    consumer: { name: 'web' },
    provider: { name: 'users' },
    interactions: [earlier],
    metadata: { pactSpecification: { version: '4.0' }, build: { number: 7 } },
  }
  writeFileSync(join(directory, 'web-users.json'), JSON.stringify(file))

  await contractWith('a').writeFile(directory)

  expect(JSON.parse(read(directory))).toMatchObject({
    interactions: [{ description: 'a', request: { path: '/users' }, response: { status: 200 }, 'x-owner': 'team' }],
    metadata: { build: { number: 7 } },
  })
})

test('overwrite replaces the file once and then merges', async () => {
  const directory = temporaryDirectory()
  await contractWith('old').writeFile(directory)

  await contractWith('new').writeFile(directory, { overwrite: true })
  await contractWith('newer').writeFile(directory, { overwrite: true })

  expect(descriptions(directory)).toEqual(['new', 'newer'])
})

test.each([
  ['is no JSON', '{"consumer": ', 'ERR_CONTRACT_FILE_UNREADABLE'],
  ['is no contract', '{"name": "package"}', 'ERR_CONTRACT_FILE_UNREADABLE'],
  [
    'belongs to another pair',
    '{"consumer":{"name":"tv"},"provider":{"name":"users"},"interactions":[],"metadata":{}}',
    'ERR_CONTRACT_FILE_FOREIGN',
  ],
])('a file that %s is left alone', async (_, text, code) => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'web-users.json'), text)

  const error = await contractWith('a')
    .writeFile(directory)
    .catch((error: unknown) => error)

  expect(error).toBeInstanceOf(ContractFileError)
  expect(error).toMatchObject({ code, path: expect.stringContaining('web-users.json') })
  expect(read(directory)).toBe(text)
  expect(readdirSync(directory)).toEqual(['web-users.json'])
})

test('reports a directory that cannot be created', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), '')

  await expect(contractWith('a').writeFile(join(directory, 'file', 'contracts'))).rejects.toThrow(
    join(directory, 'file'),
  )
})
