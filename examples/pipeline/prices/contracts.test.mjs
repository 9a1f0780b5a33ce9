import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { Verifier } from 'contract'
import { pricesService } from './service.mjs'

const prices = new Map()
const service = pricesService(prices)

before(() => once(service.listen(0, '127.0.0.1'), 'listening'))
after(() => service.close())

test('prices honours the contracts of its consumers', async () => {
  const { VERSION: version, BRANCH: branch } = process.env
  const verifier = new Verifier('prices')
    .brokerSource({ selector: true })
    .consumerVersion({ mainBranch: true })
    .consumerVersion({ deployedOrReleased: true })
    .includePending()
    .providerBranch(branch ?? 'main')
    .build()
    // Before the first consumer there is nothing to verify.
    .setErrorOnEmptyContract(false)
    .addTransport({ url: `http://127.0.0.1:${service.address().port}` })
    .stateHandler({
      'an article has a price': {
        setup: ({ article, cents }) => void prices.set(article, cents),
        teardown: () => prices.clear(),
      },
    })
  // Only the pipeline says which version it is; on a developer's machine nothing is published.
  if (version !== undefined) verifier.setPublishOptions({ version, branch })

  await verifier.verify()
})
