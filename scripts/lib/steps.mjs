// Prints the steps of a script: a heading before each step, its duration after it, and a summary at the end.
import { StepFailed } from './run.mjs'

const color = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code) => (text) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
const bold = paint(1)
const red = paint(31)
const green = paint(32)
const dim = paint(2)

export class Steps {
  #done = []

  /**
   * Runs `work` under a heading and returns whether it succeeded. A step is skipped if one of the steps in `needs`
   * failed. `about` describes the step and its duration on two cores.
   */
  async run(title, work, { needs = [], about = '' } = {}) {
    const missing = needs.find((need) => !this.#succeeded(need))
    if (missing !== undefined) {
      this.#done.push({ title, state: 'left out', note: `needs: ${missing}` })
      return false
    }
    console.log(`\n${bold(`▸ ${title}`)}${about && dim(`  ${about}`)}`)
    const start = performance.now()
    let state = 'passed'
    try {
      await work()
    } catch (error) {
      state = 'failed'
      console.error(red(error instanceof StepFailed ? error.message : error.stack))
    }
    const note = duration(performance.now() - start)
    console.log(`${mark(state)} ${dim(note)}`)
    this.#done.push({ title, state, note })
    return state === 'passed'
  }

  get allPassed() {
    return this.#done.every(({ state }) => state === 'passed')
  }

  summary() {
    const width = Math.max(...this.#done.map(({ title }) => title.length))
    console.log(`\n${bold('Summary')}`)
    for (const { title, state, note } of this.#done) {
      console.log(`  ${mark(state)} ${title.padEnd(width)}  ${dim(note)}`)
    }
  }

  #succeeded(title) {
    return this.#done.some((step) => step.title === title && step.state === 'passed')
  }
}

function mark(state) {
  if (state === 'passed') return green('✓')
  return state === 'failed' ? red('✗') : dim('–')
}

function duration(milliseconds) {
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
