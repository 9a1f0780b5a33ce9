import {
  definePlugin,
  type PluginBody,
  type PluginDefinition,
  packPlugin,
  type RunningPlugin,
} from '@contract-testing/plugin'
import { Contract, type HttpInteraction, type PluginOptions, type ServerMismatch, Verifier } from 'contract'
import { expectTypeOf } from 'expect-type'

const contract = new Contract('web', 'shop', {
  plugins: { directories: ['plugins', new URL('file:///plugins')], timeout: 1 },
})
expectTypeOf(contract.usingPlugin({ plugin: 'csv', version: '1.0.0' })).toEqualTypeOf<Contract>()
const interaction = contract.uponReceiving('a table').usingPlugin({ plugin: 'csv' })
expectTypeOf(interaction).toEqualTypeOf<HttpInteraction>()
interaction.withPluginContents({ columns: [] }, 'text/csv', 'response').withPluginContents('{}', 'text/csv')
contract.uponReceiving('a message', 'Async').withPluginContents({}, 'text/csv', 'request')
// @ts-expect-error an asynchronous message has no response
contract.uponReceiving('a message', 'Async').withPluginContents({}, 'text/csv', 'response')
// @ts-expect-error the content type selects the plugin
interaction.withPluginContents({})
// @ts-expect-error the name is required
contract.usingPlugin({ version: '1.0.0' })

contract.serve({ transport: 'grpc', transportConfig: { reflection: true } })
expectTypeOf<Parameters<Verifier['setPlugins']>>().toEqualTypeOf<[options: PluginOptions]>()
new Verifier('shop', { plugins: { directories: [] } }).addTransport({ protocol: 'grpc', port: 5000 })
expectTypeOf<Extract<ServerMismatch, { type: 'plugin-mismatch' }>['transport']>().toEqualTypeOf<string>()

const definition = {
  contents: {
    types: ['text/csv'],
    configure: (_, { contentType }) => ({ contents: { contentType, content: '' } }),
    compare({ expected }) {
      expectTypeOf(expected).toEqualTypeOf<PluginBody>()
      return [{ path: '$', message: 'it differs' }]
    },
  },
  matchers: { even: ({ actual }) => (actual === 2 ? undefined : 'it is not two') },
} satisfies PluginDefinition
expectTypeOf(definePlugin(definition)).toEqualTypeOf<Promise<RunningPlugin>>()
expectTypeOf(packPlugin).returns.toEqualTypeOf<string>()
