import { tryRead } from '../encoded.js'
import { ContractArgumentError } from '../errors.js'
import type { TlsOptions } from '../generated/options.js'
import { crypto } from '../on-demand.js'

/** Decrypts the key in the options if they contain a passphrase. The core accepts only unencrypted keys. */
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
      ? ['passphrase', 'the passphrase does not decrypt the key']
      : ['key', '"key" must be the contents of a PEM file with a private key']
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `tls: ${problem}`, { operation: 'tls', argument, cause })
  }
}
