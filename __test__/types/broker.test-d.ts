import { Contract, Verifier } from 'contract'
import { canIDeploy, publish, recordDeployment, startBroker } from 'contract/broker'

// Variables of a CI system can be passed on, whether they are set or not.
const variable = process.env.SOMETHING
publish(['./contracts'], {
  consumerVersion: variable,
  branch: variable,
  buildUrl: variable,
  broker: { url: variable, token: variable, username: variable, password: variable },
})
canIDeploy({
  selectors: [{ pacticipant: 'web', version: variable }],
  toEnvironment: variable,
  broker: { url: variable },
})
recordDeployment({ pacticipant: 'web', version: '1', environment: 'prod', applicationInstance: variable })

startBroker({ db: variable, port: undefined, credentials: undefined })
// @ts-expect-error both are required
startBroker({ credentials: { username: 'ci' } })
// @ts-expect-error unknown option
startBroker({ prot: 1 })

new Verifier('users')
  .filter('a description')
  .filter(/a description/, 'a state')
  .filter(undefined, '')
  .filter({ id: '1' })
// @ts-expect-error the state must be in the object
new Verifier('users').filter({ id: '1' }, 'a state')

new Contract('web', 'users').usingPlugin('csv').usingPlugin('csv', '1.0.0').usingPlugin({ plugin: 'csv' })
