// Writes message contracts with @pact-foundation/pact in versions 3 and 4: `node messages-write.cjs FOLDER-OF-PACT DIRECTORY`.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, dir] = process.argv.slice(2)
const { MessageConsumerPact, PactV4, MatchersV3 } = createRequire(join(folder, 'package.json'))('@pact-foundation/pact')
const { integer, string, eachLike, datetime, regex } = MatchersV3
const order = {
  id: integer(7),
  customer: string('c-42'),
  tags: eachLike(string('new')),
  placedAt: datetime("yyyy-MM-dd'T'HH:mm:ss", '2024-01-02T03:04:05'),
}
const taken = async () => {}

async function version3() {
  const pact = () => new MessageConsumerPact({ consumer: 'invoices-v3', provider: 'orders', dir, logLevel: 'error' })
  await pact()
    .given({ name: 'an order exists', params: { id: 7 } })
    .expectsToReceive('an order was placed')
    .withContent(order)
    .withMetadata({ topic: 'orders', key: regex('\\d+', '7') })
    .verify(taken)
  await pact()
    .expectsToReceive('a label')
    .withBinaryContent(Buffer.from([1, 2, 255]), 'application/x-label')
    .verify(taken)
  await pact().expectsToReceive('a note').withTextContent('hello', 'text/plain').verify(taken)
}

async function version4() {
  const pact = new PactV4({ consumer: 'invoices-v4', provider: 'orders', dir, logLevel: 'error' })
  await pact
    .addAsynchronousInteraction()
    .given('an order exists', { id: 7 })
    .expectsToReceive('an order was placed', (builder) =>
      builder.withJSONContent(order).withMetadata({ topic: 'orders', key: regex('\\d+', '7') }),
    )
    .executeTest(taken)
  await pact
    .addAsynchronousInteraction()
    .expectsToReceive('a label', (builder) => builder.withContent('application/x-label', Buffer.from([1, 2, 255])))
    .executeTest(taken)
  await pact
    .addSynchronousInteraction('a question')
    .withRequest((builder) => builder.withJSONContent({ carrier: 'DHL' }))
    .withResponse((builder) => builder.withJSONContent({ days: integer(2) }))
    .executeTest(taken)
}

version3()
  .then(version4)
  .catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
