import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { Verifier } from 'contract'
import { pricesService } from './service.mjs'

const prices = new Map()
const service = pricesService(prices)

before(() => once(service.listen(0, '127.0.0.1'), 'listening'))
after(() => service.close())

test('prices satisfies the contracts of its consumers', async () => {
  const { VERSION: version, BRANCH: branch } = process.env
  const verifier = new Verifier('prices')
    .brokerSource({ selector: true })
    .consumerVersion({ mainBranch: true })
    .consumerVersion({ deployedOrReleased: true })
    .includePending()
    .providerBranch(branch ?? 'main')
    .build()
    // Without a consumer, there is nothing to verify.
    .setErrorOnEmptyContract(false)
    .addTransport({ url: `http://127.0.0.1:${service.address().port}` })
    .stateHandler({
      'an article has a price': {
        setup: ({ article, cents }) => void prices.set(article, cents),
        teardown: () => prices.clear(),
      },
    })
  // Only the pipeline sets the version, so nothing is published from a developer's machine.
  if (version !== undefined) verifier.setPublishOptions({ version, branch })

  await verifier.verify()
})
