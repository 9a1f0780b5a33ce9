import { seen } from '../encoded.js'
import { ContractArgumentError } from '../errors.js'
import { crypto } from '../on-demand.js'
import type { TlsOptions } from './options.js'

/** Options with the key decrypted, if it came with a passphrase: Node can do that, the core need not. */
export function decrypted(options: TlsOptions): unknown {
  if (!seen(() => typeof options.passphrase === 'string' && options.key !== undefined)) return options
  const { passphrase, key = '', ...others } = options
  try {
    const text = typeof key === 'string' ? key : Buffer.from(key)
    const open = crypto().createPrivateKey({ key: text, passphrase })
    return { ...others, key: open.export({ type: 'pkcs8', format: 'pem' }) }
  } catch (cause) {
    const message = 'tls: the key cannot be decrypted with the passphrase'
    throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', message, {
      operation: 'tls',
      argument: 'passphrase',
      cause,
    })
  }
}
