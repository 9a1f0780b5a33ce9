// curl, if it is installed, with the mock server: HTTPS, HTTP/2, forms.
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { Contract } from 'contract'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const curl = async (...args: string[]) =>
  (await run('curl', ['--silent', '--show-error', '--max-time', '20', ...args])).stdout
const features = spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? ''
const versions = features.includes('HTTP2') ? ['1.1', '2', '2-prior-knowledge'] : ['1.1']

function oneUser(): Contract {
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200).withBody({ id: 7 })
  return contract
}

describe.each(features === '' ? [] : ['curl'])('%s', () => {
  test.each(versions)('over HTTP/%s, plain and over TLS', async (version) => {
    const ask = ['--write-out', ' %{http_version}', `--http${version}`]
    const spoken = version === '2-prior-knowledge' ? '2' : version
    await oneUser().serve(async ({ url }) => {
      // Without TLS, a client uses HTTP/2 only with prior knowledge.
      expect(await curl(...ask, `${url}/user`)).toBe(`{"id":7} ${version === '2' ? '1.1' : spoken}`)
    })
    await oneUser().serve({ transport: 'https', host: 'localhost' }, async ({ url, caCertificate = '' }) => {
      const ca = join(temporaryDirectory(), 'ca.pem')
      writeFileSync(ca, caCertificate)
      expect(await curl(...ask, '--cacert', ca, `${url}/user`)).toBe(`{"id":7} ${spoken}`)
      await expect(curl(`${url}/user`)).rejects.toThrow(/certificate/)
    })
  })

  test('uploads a form', async () => {
    const image = join(__dirname, '..', 'support', 'pixels.png')
    const form = new FormData()
    form.set('name', 'pixels')
    form.set('image', new Blob([readFileSync(image)], { type: 'image/png' }), 'pixels.png')
    const encoded = new Response(form)
    const type = encoded.headers.get('content-type') ?? ''
    const contract = new Contract('web', 'files')
    contract
      .uponReceiving('an upload')
      .withRequest('POST', '/files')
      .withBinaryBody(new Uint8Array(await encoded.arrayBuffer()), type)
      .willRespondWith(201)

    await contract.serve(async ({ url }) => {
      const parts = ['--form', 'name=pixels', '--form', `image=@${image};type=image/png`]
      expect(await curl(...parts, '--output', '/dev/null', '--write-out', '%{http_code}', `${url}/files`)).toBe('201')
    })
  })
})
