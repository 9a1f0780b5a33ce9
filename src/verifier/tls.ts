import { seen } from '../encoded.js'
import { ContractArgumentError } from '../errors.js'
import type { TlsOptions } from '../generated/options.js'
import { crypto } from '../on-demand.js'

/** Options with the key decrypted, if it came with a passphrase: Node can do that, the core need not. */
export function decrypted(options: TlsOptions): unknown {
  if (!seen(() => typeof options.passphrase === 'string' && options.key !== undefined)) return options
  const { passphrase, key = '', ...others } = options
  // PEM is ASCII. What is neither text nor bytes is for the core to refuse.
  const pem = seen(() => (typeof key === 'string' ? key : Buffer.from(key).toString('latin1')))
  if (pem === undefined) return { ...others, key }
  try {
    const open = crypto().createPrivateKey({ key: pem, passphrase })
    return { ...others, key: open.export({ type: 'pkcs8', format: 'pem' }) }
  } catch (cause) {
    const [argument, problem] = pem.includes('ENCRYPTED')
      ? ['passphrase', 'the passphrase does not open the key']
      : ['key', 'key must be the contents of a PEM file with a private key']
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `tls: ${problem}`, { operation: 'tls', argument, cause })
  }
}
