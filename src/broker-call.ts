import { optionsData, readable } from './arguments.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

/** Performs a broker operation of the core with these options and the current environment variables. */
export async function brokerCall<T>(name: string, options: object): Promise<T> {
  const spelled = native.spelled(name)
  const texts = readable(spelled, () => {
    const { broker = {}, ...rest } = optionsData(spelled, options)
    return [JSON.stringify(broker), JSON.stringify(rest), JSON.stringify(process.env)] as const
  })
  return JSON.parse(unwrap(await native.brokerCall(name, ...texts))) as T
}
