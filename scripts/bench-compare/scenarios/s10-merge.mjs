import fs from 'node:fs'
import path from 'node:path'
import { readContractFile, writeContractFile } from '../lib/contract-file.mjs'
import { oneTest, warmUp } from '../lib/cycle.mjs'
import { orderInteraction } from '../lib/data.mjs'
import { withLoopBlock } from '../lib/proc.mjs'
import { median } from '../lib/stats.mjs'

export default {
  id: 'merge',
  title: 'Add one interaction to an existing contract file',
  metrics: {
    finishMs: { label: 'verify + stop + merge + write', unit: 'ms' },
    totalMs: { label: 'the whole test', unit: 'ms' },
    blockMs: { label: 'longest block of the event loop', unit: 'ms' },
    fileKb: { label: 'existing file', unit: 'KiB' },
    written: { label: 'interactions in the file after 3 tests', unit: '' },
  },
  headline: 'finishMs',
  cases: [0, 1000, 5000].map((existing) => ({
    name: `${existing} existing interactions`,
    series: 'existing',
    size: existing,
    params: { existing },
    ...(existing > 1000 ? { quick: null } : {}),
  })),
  timeoutMs: 120_000,
  async run(ctx, { existing }) {
    const driver = await ctx.load()
    await warmUp(ctx, driver, 3)
    const dir = ctx.tmp.sub('contracts')
    const file = path.join(dir, driver.fileName('web', 'shop'))
    let bytes = 0
    if (existing)
      bytes = writeContractFile(file, {
        consumer: 'web',
        provider: 'shop',
        interactions: Array.from({ length: existing }, (_, i) => orderInteraction(i + 1)),
      })
    const before = existing ? fs.statSync(file).size : 0
    const times = []
    const blocks = []
    for (let i = 1; i <= 3; i += 1) {
      const pair = driver.consumer({ consumer: 'web', provider: 'shop', dir })
      const { value, blockMs } = await withLoopBlock(() => oneTest(pair, orderInteraction(1_000_000 + i)))
      times.push(value)
      blocks.push(blockMs)
    }
    const after = readContractFile(file)
    return {
      metrics: {
        finishMs: median(times.map((x) => x.finish)),
        totalMs: median(times.map((x) => x.total)),
        blockMs: median(blocks),
        fileKb: bytes / 1024,
        written: after.interactions,
      },
      notes: { bytesBefore: before, bytesAfter: after.bytes },
      ...(after.interactions !== existing + 3
        ? { error: `the file has ${after.interactions} interactions, expected ${existing + 3}` }
        : {}),
    }
  },
}
