import { ContractArgumentError } from '../errors.js'
import type { JsonObject } from '../json.js'
import { crypto } from '../on-demand.js'
import type { Pem, TlsOptions } from './options.js'
import { refused } from './refused.js'

/** Certificates as the core takes them: PEM texts, the key not encrypted. */
export function tlsOf(options: TlsOptions): JsonObject {
  const { ca = [], cert, key, passphrase, ...others } = options
  const other = Object.keys(others)[0]
  if (other === 'pfx') {
    throw refused(
      'tls',
      'pfx cannot be read; turn it into PEM once, by `openssl pkcs12 -in client.pfx -nodes`, and give cert and key',
    )
  }
  if (other)
    throw refused('tls', `there is no option ${JSON.stringify(other)}; options are ca, cert, key and passphrase`)
  if (passphrase !== undefined && key === undefined)
    throw refused('tls', 'passphrase is about a key, and there is none')
  const authorities = (Array.isArray(ca) ? ca : [ca]) as readonly Pem[]
  return {
    ca: authorities.map((pem) => textOf('ca', pem)),
    ...(cert && { cert: textOf('cert', cert) }),
    ...(key && { key: keyOf(textOf('key', key), passphrase) }),
  }
}

function textOf(name: string, pem: Pem): string {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1')
  if (text.includes('-----BEGIN ')) return text
  throw refused(
    'tls',
    `${name} must be the contents of a PEM file, as readFileSync gives them: -----BEGIN … is not in it`,
  )
}

function keyOf(key: string, passphrase: string | undefined): string {
  if (passphrase === undefined) return key
  try {
    return crypto().createPrivateKey({ key, passphrase }).export({ type: 'pkcs8', format: 'pem' }) as string
  } catch (error) {
    const options = { cause: error }
    throw new ContractArgumentError(
      'ERR_CONTRACT_OPTIONS',
      'tls: the key cannot be decrypted with the passphrase',
      options,
    )
  }
}
