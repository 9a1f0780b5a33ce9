// Creates unified diffs.

/** Returns a unified diff with three lines of context, or an empty string if both texts are equal. */
export function unifiedDiff(name: string, before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const edits = editsOf(a, b)
  const hunks = hunksOf(edits)
  if (hunks.length === 0) return ''
  const lines = [`--- ${name}`, `+++ ${name}`]
  for (const hunk of hunks) {
    const old = hunk.filter(({ mark }) => mark !== '+')
    const now = hunk.filter(({ mark }) => mark !== '-')
    lines.push(`@@ -${(hunk[0]?.a ?? 0) + 1},${old.length} +${(hunk[0]?.b ?? 0) + 1},${now.length} @@`)
    lines.push(...hunk.map(({ mark, text }) => mark + text))
  }
  return `${lines.join('\n')}\n`
}

interface Edit {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
  /** Number of lines that precede this edit in the old text. */
  readonly a: number
  readonly b: number
}

/**
 * Maximum product of the line counts of two texts to compare. In larger texts, all lines except for the common
 * beginning and end are shown as changed.
 */
const LARGEST = 20_000_000

/** Compares the lines between the common beginning and end, by their longest common subsequence. */
function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const [n, m] = [a.length - start - end, b.length - start - end]
  const isLarge = n * m > LARGEST
  const width = isLarge ? 0 : m + 1
  const lengths = new Uint32Array((n + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = isLarge ? -1 : n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      const same = a[start + i] === b[start + j]
      lengths[i * width + j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const edits: Edit[] = a.slice(0, start).map((text, i) => ({ mark: ' ', text, a: i, b: i }))
  let [i, j] = [0, 0]
  while (i < n || j < m) {
    const [old, now] = [a[start + i] ?? '', b[start + j] ?? '']
    const place = { a: start + i, b: start + j }
    if (!isLarge && i < n && j < m && old === now) {
      edits.push({ mark: ' ', text: old, ...place })
      i += 1
      j += 1
    } else if (j >= m || (i < n && at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ mark: '-', text: old, ...place })
      i += 1
    } else {
      edits.push({ mark: '+', text: now, ...place })
      j += 1
    }
  }
  const rest = a.slice(a.length - end)
  return [...edits, ...rest.map((text, k): Edit => ({ mark: ' ', text, a: start + n + k, b: start + m + k }))]
}

function hunksOf(edits: readonly Edit[]): Edit[][] {
  const near = (at: number) => edits.slice(Math.max(0, at - 3), at + 4).some(({ mark }) => mark !== ' ')
  const hunks: Edit[][] = []
  for (const [at, edit] of edits.entries()) {
    if (!near(at)) continue
    if (at === 0 || !near(at - 1)) hunks.push([])
    hunks.at(-1)?.push(edit)
  }
  return hunks
}
