import { tryRead } from '../encoded.js'
import { ContractArgumentError } from '../errors.js'
import type { TlsOptions } from '../generated/options.js'
import { crypto } from '../on-demand.js'

/** Decrypts the private key if the options contain a passphrase, because the core accepts only unencrypted keys. */
export function decrypted(options: TlsOptions): unknown {
  if (!tryRead(() => typeof options.passphrase === 'string' && options.key !== undefined)) return options
  const { passphrase, key = '', ...rest } = options
  // PEM is ASCII. The core rejects values that are neither strings nor bytes.
  const pem = tryRead(() => (typeof key === 'string' ? key : Buffer.from(key).toString('latin1')))
  if (pem === undefined) return { ...rest, key }
  try {
    const decryptedKey = crypto().createPrivateKey({ key: pem, passphrase })
    return { ...rest, key: decryptedKey.export({ type: 'pkcs8', format: 'pem' }) }
  } catch (cause) {
    const [argument, problem] = pem.includes('ENCRYPTED')
      ? ['passphrase', 'the key cannot be decrypted with this passphrase']
      : ['key', '"key" must be the contents of a PEM file with a private key']
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `tls: ${problem}`, { operation: 'tls', argument, cause })
  }
}
