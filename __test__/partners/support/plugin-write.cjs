// `plugin-write.cjs PARTNERS DIRECTORY PLUGIN TYPE`: writes a contract with contents of a plugin, with
// @pact-foundation/pact.
const { createRequire } = require('node:module')
const [partners, dir, plugin, type] = process.argv.slice(2)
const { PactV4 } = createRequire(`${partners}/package.json`)('@pact-foundation/pact')

const contents = JSON.stringify({ colour: 'red', size: '{number}' })
new PactV4({ consumer: 'web', provider: 'shop', dir, logLevel: 'error' })
  .addInteraction()
  .uponReceiving('a change of colour')
  .usingPlugin({ plugin, version: '1.0.0' })
  .withRequest('PUT', '/colour', (request) => request.pluginContents(type, contents))
  .willRespondWith(200, (response) => response.pluginContents(type, contents))
  .executeTest(async ({ url }) => {
    const response = await fetch(`${url}/colour`, {
      method: 'PUT',
      body: 'colour=red\nsize=12\n',
      headers: { 'content-type': type },
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  })
  .then(
    () => process.exit(0),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
