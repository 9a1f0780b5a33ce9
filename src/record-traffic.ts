// Implements the functions of `record.ts`.
import { pathData, rejectCall, textData } from './arguments.js'
import type { RecordOptions } from './generated/options.js'
import type { RecordedContract } from './generated/results.js'
import { callContext } from './handles.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import type { RecordableServer } from './record.js'
import {
  type ContractRecorder,
  type Exchange,
  recordingText,
  type TestRecordOptions,
  TrafficRecorder,
  testName,
} from './recorder.js'

/** Derives a contract from an HTTP archive. */
export async function recordHar(file: string | URL, options: RecordOptions): Promise<RecordedContract> {
  const path = textData('recordHar', 'file', pathData(file))
  const text = recordingText('record_har', { path }, options)
  return JSON.parse(unwrap(await native.record(text, callContext()))) as RecordedContract
}

interface Observed {
  readonly request: Request
  readonly requestId: string
}
interface Answered extends Observed {
  readonly response: Response
}
interface Events {
  on(event: string, listener: (event: Answered) => void): void
  removeListener(event: string, listener: (event: Answered) => void): void
}

/** Records the requests that a Mock Service Worker server intercepts. */
export function recordWith(server: RecordableServer, options: TestRecordOptions): ContractRecorder {
  const events = server?.events as unknown as Events | undefined
  if (typeof events?.on !== 'function' || typeof events.removeListener !== 'function') {
    rejectCall('recordWith', 'expected a server of Mock Service Worker 2, such as the result of setupServer()')
  }
  const exchanges = new Map<string, Exchange>()
  const listeners: Readonly<Record<string, (event: Answered) => void>> = {
    'request:start': ({ request, requestId }) => {
      const exchange = recorder.begin(request.url, request.method)
      if (exchange === undefined) return
      exchanges.set(requestId, exchange)
      exchange.requestHeaders = [...request.headers]
      // The handler reads the original.
      const copy = request.clone()
      recorder.follow(exchange, async () => {
        exchange.requestBody = recorder.encode(await copy.arrayBuffer())
      })
    },
    'response:mocked': respond,
    'response:bypass': respond,
  }
  const recorder = new TrafficRecorder('record_with', options, testName, () => {
    for (const [event, listener] of Object.entries(listeners)) events.removeListener(event, listener)
  })
  for (const [event, listener] of Object.entries(listeners)) events.on(event, listener)
  return recorder

  function respond({ response, requestId }: Answered): void {
    const exchange = exchanges.get(requestId)
    exchanges.delete(requestId)
    if (exchange === undefined) return
    const copy = response.clone()
    exchange.responseHeaders = [...response.headers]
    recorder.follow(exchange, async () => {
      exchange.responseBody = recorder.encode(await copy.arrayBuffer())
      exchange.status = response.status
    })
  }
}
