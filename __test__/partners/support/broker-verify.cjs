// Verifies from a broker with @pact-foundation/pact and publishes the result. Arguments: the directory of the package,
// the URL of the provider, the URL of the broker, the provider's version, its branch.
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [partners, providerBaseUrl, pactBrokerUrl, providerVersion, providerVersionBranch] = process.argv.slice(2)
const { Verifier } = createRequire(join(partners, 'package.json'))('@pact-foundation/pact')

new Verifier({
  provider: 'shop',
  providerBaseUrl,
  pactBrokerUrl,
  providerVersion,
  providerVersionBranch,
  publishVerificationResult: true,
  enablePending: true,
  includeWipPactsSince: '2020-01-01',
  consumerVersionSelectors: [{ mainBranch: true }, { deployedOrReleased: true }],
  logLevel: 'warn',
})
  .verifyProvider()
  .then(
    () => process.exit(0),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
