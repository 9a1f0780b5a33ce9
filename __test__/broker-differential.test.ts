// Random histories and queries: the broker gives the same responses as a model of the Pact Broker's rules.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Comparison, type Question, randomQuestion, randomStep, type Step } from './support/broker-story.ts'
import { Random, seedsOf } from './support/random.ts'

const STEPS = 75
const QUESTIONS = 100

/** `CONTRACT_BROKER_SEEDS` is a range of seeds such as `100..300`. */
const seeds = seedsOf('CONTRACT_BROKER_SEEDS', '0..8')

/** Contracts can be replaced in every second history. */
const mayChange = (seed: number) => seed % 2 === 0

async function withBroker<T>(seed: number, test: (comparison: Comparison) => Promise<T>): Promise<T> {
  const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract-broker.js')
  const options = ['--listen', '127.0.0.1:0', '--db', 'memory', '--log-level', 'error', '--stop-with-stdin']
  const child = spawn(process.execPath, [launcher, 'serve', ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION: String(mayChange(seed)),
      CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH_TIME_LIMIT: '100000',
    },
  })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const comparison = new Comparison(/http:\S+/.exec(line)?.[0] ?? '', mayChange(seed))
  try {
    await comparison.start()
    return await test(comparison)
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
}

type Difference = { question: Question; broker: unknown; model: unknown }

/** Repeats a history without some steps, to find those that a difference needs. */
async function differs(seed: number, steps: readonly Step[], question: Question): Promise<Difference | undefined> {
  return await withBroker(seed, async (comparison) => {
    for (const step of steps) await comparison.apply(step)
    const difference = await comparison.ask(question)
    return difference && { question, ...difference }
  })
}

async function shrunk(seed: number, steps: readonly Step[], difference: Difference): Promise<string> {
  let [needed, shown] = [steps, difference]
  for (let index = steps.length - 1; index >= 0; index--) {
    const fewer = needed.filter((_, other) => other !== index)
    const still = await differs(seed, fewer, difference.question).catch(() => undefined)
    if (still !== undefined) [needed, shown] = [fewer, still]
  }
  const lines = needed.map((step) => JSON.stringify(step))
  return [`seed ${seed}`, ...lines, JSON.stringify(shown, null, 1)].join('\n')
}

test.each(seeds)('after a random history, the broker responds like the model (seed %i)', async (seed) => {
  const random = new Random(seed)
  const steps: Step[] = []
  let passed = 0
  const difference = await withBroker(seed, async (comparison) => {
    for (let index = 0; index < STEPS; index++) {
      const step = randomStep(random)
      steps.push(step)
      await comparison.apply(step)
      if (index % 15 !== 14) continue
      const since = ['2020-01-01', '2999-01-01', random.of(comparison.moments)]
      for (let count = 0; count < QUESTIONS; count++) {
        const question = randomQuestion(random, since)
        const difference = await comparison.ask(question)
        if (difference !== undefined) return { question, ...difference }
        passed++
      }
    }
    return undefined
  })

  expect(difference && (await shrunk(seed, steps, difference))).toBeUndefined()
  expect(passed).toBe((STEPS / 15) * QUESTIONS)
})
