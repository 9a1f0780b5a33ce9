// A plugin for the smoke suite: its contents are text in capitals.
import { definePlugin, text } from '@contract-testing/plugin'

await definePlugin({
  contents: {
    types: ['text/shout'],
    configure: (contents, { contentType }) => ({
      contents: { contentType, content: String(contents.text).toUpperCase(), hint: 'text' },
    }),
    compare: ({ expected, actual }) =>
      text(expected) === text(actual) ? [] : [{ path: '$', message: 'the texts differ' }],
  },
})
