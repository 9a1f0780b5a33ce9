import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Contract, MismatchesError, VerificationError, Verifier } from 'contract'
import { pack } from './pack.ts'

let directory: string
beforeAll(() => {
  directory = pack()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const ann = { name: 'Name', example: 'Ann' }
function define() {
  const contract = new Contract('accounting', 'reports', { directory, plugins: { directories: [directory] } })
  contract
    .uponReceiving('an upload of hours')
    .usingPlugin({ plugin: 'csv-example', version: '1.0.0' })
    .withRequest('POST', '/hours')
    .withPluginContents({ columns: [ann, { name: 'Hours', example: '7', regex: '\\d+' }] }, 'text/csv')
    .willRespondWith(200)
    .withPluginContents(
      { rows: 2, columns: [ann, { name: 'Total', example: '40', regex: '\\d+', fresh: true }] },
      'text/csv',
    )
  return contract
}

async function upload(url: string, csv: string) {
  return fetch(`${url}/hours`, { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } })
}

test('csv in a consumer test', async () => {
  await define().serve(async ({ url }) => {
    const answer = await upload(url, 'Hours,Name\n8,Ann\n')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toMatch(/^Name,Total\n(Ann,[1-9]\n){2}$/)
  })
  const file = JSON.parse(readFileSync(join(directory, 'accounting-reports.json'), 'utf8'))
  expect(file.metadata.plugins).toEqual([{ name: 'csv-example', version: '1.0.0', configuration: { separator: ',' } }])
  const [{ pluginConfiguration, request }] = file.interactions
  expect(pluginConfiguration).toEqual({ 'csv-example': { request: { rows: 1 }, response: { rows: 2 } } })
  expect(request.body.content).toBe('Name,Hours\nAnn,7\n')
  expect(Object.keys(request.matchingRules.body)).toEqual(['column:Hours'])
})

test('reports csv that differs with the text of the plugin', async () => {
  const failed = define().serve(({ url }) => upload(url, 'Name,Hours\nAnn,many\n'))
  const error = await failed.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(MismatchesError)
  expect(String(error)).toContain("row 1 has 'many' in the column Hours, expected a value that matches")
})

test('csv of a provider', async () => {
  let total = '40'
  const provider = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'text/csv').end(`Name,Total\nAnn,${total}\nAnn,41\n`)
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  const verify = () =>
    new Verifier('reports')
      .setPlugins({ directories: [directory] })
      .addSource(join(directory, 'accounting-reports.json'))
      .addTransport({ port })
      .verify()
  try {
    expect((await verify()).success).toBe(true)
    total = 'none'
    const error = await verify().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(VerificationError)
    expect(String(error)).toContain("row 1 has 'none' in the column Total")
  } finally {
    provider.close()
  }
})
