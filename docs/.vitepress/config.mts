import { defineConfig } from 'vitepress'

const page = (text: string, link: string) => ({ text, link })

export default defineConfig({
  title: 'contract',
  description: 'Pact-compatible consumer-driven contract testing for TypeScript and Node, with a native core in Rust.',
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  lastUpdated: false,
  // Documents for maintainers are read in the repository.
  srcExclude: ['decisions/**', 'walks.md', 'README.md', 'samples/**'],
  markdown: {
    config(md) {
      const render = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
        const token = tokens[index]
        if (token && token.content.length <= 32) token.attrJoin('class', 'short')
        return render?.(tokens, index, options, env, self) ?? ''
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Start', '/start/installation'),
      page('Guides', '/guides/matchers'),
      page('Reference', '/reference/operations'),
      {
        text: 'More',
        items: [
          page('Moving from pact-js', '/moving-from-pact-js'),
          page('Comparison', '/comparison'),
          page('Performance', '/performance'),
        ],
      },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Installation', '/start/installation'),
          page('Consumer in five minutes', '/start/consumer'),
          page('Provider in five minutes', '/start/provider'),
          page('CI in five minutes', '/start/ci'),
        ],
      },
      {
        text: 'Concepts',
        items: [page('How it works', '/concepts/how-it-works'), page('Glossary', '/concepts/glossary')],
      },
      {
        text: 'Write contracts',
        items: [
          page('Matchers and generators', '/guides/matchers'),
          page('Provider states', '/guides/provider-states'),
          page('Consumer resilience', '/guides/variants'),
          page('Messages', '/guides/messages'),
          page('GraphQL', '/guides/graphql'),
          page('XML', '/guides/xml'),
          page('Files and multipart', '/guides/files'),
          page('Test runners', '/guides/test-runners'),
          page('Vitest', '/guides/vitest'),
          page('Jest', '/guides/jest'),
          page('Mocha', '/guides/mocha'),
          page('node:test', '/guides/node-test'),
          page('Playwright', '/guides/playwright'),
          page('Contracts as mocks', '/guides/contracts-as-mocks'),
          page('Parallel tests and monorepos', '/guides/parallel-tests'),
          page('Stubs and mocks from contracts', '/guides/stub-server'),
          page('Record contracts from traffic', '/guides/recording'),
        ],
      },
      {
        text: 'Verify providers',
        items: [
          page('Verify from a broker', '/guides/verifying-from-a-broker'),
          page('Authentication', '/guides/authentication'),
          page('Pending and WIP contracts', '/guides/pending-and-wip'),
          page('Reports', '/guides/reports'),
          page('Contracts as a website', '/guides/contract-site'),
        ],
      },
      {
        text: 'Brokers and deployments',
        items: [
          page('Branches and environments', '/guides/branches-and-environments'),
          page('Can I deploy?', '/guides/can-i-deploy'),
          page('Broker commands', '/guides/broker-commands'),
          page('Run the broker', '/guides/running-the-broker'),
          page('The broker’s pages', '/guides/broker-pages'),
          page('Access control', '/guides/access-control'),
          page('Webhooks', '/guides/webhooks'),
        ],
      },
      {
        text: 'Beyond the basics',
        items: [
          page('Plugins', '/guides/plugins'),
          page('TLS and proxies', '/guides/tls-and-proxies'),
          page('Other languages', '/guides/other-languages'),
          page('Troubleshooting', '/guides/troubleshooting'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Operations', '/reference/operations'),
          page('TypeScript API', '/reference/typescript/'),
          page('Python', '/reference/python'),
          page('Python API', '/reference/python-api'),
          page('C API', '/reference/c'),
          page('Write a binding', '/reference/bindings'),
          page('Command line', '/reference/command-line'),
          page('Configuration', '/reference/configuration'),
          page('Contract files', '/reference/contract-files'),
          page('Report JSON', '/reference/report-json'),
          page('Broker HTTP API', '/reference/broker-api'),
          page('Error codes', '/reference/error-codes'),
          page('Limits', '/reference/limits'),
          page('Platforms and versions', '/reference/platforms'),
        ],
      },
      {
        text: 'More',
        items: [
          page('Moving from pact-js', '/moving-from-pact-js'),
          page('Comparison', '/comparison'),
          page('Performance', '/performance'),
        ],
      },
    ],
  },
})
