import { encoded } from './encoded.js'
import type { VerificationReport } from './generated/report.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

/**
 * The format of a report: `json` (the complete report), `junit` (XML for CI systems), `markdown` (for job summaries), `html`
 * (one self-contained page), or `github` (annotations to print in GitHub Actions).
 */
export type ReportFormat = 'json' | 'junit' | 'markdown' | 'html' | 'github'

/**
 * The JSON text from which a report was parsed. It preserves numbers such as `1.0` and `1e400`, which JavaScript cannot
 * represent.
 */
const texts = new WeakMap<object, string>()

/**
 * @internal Parses a report and freezes it. A changed report would have no effect, because formats are created from the
 * original text.
 */
export function reportOf(text: string, explain: (report: VerificationReport) => void): VerificationReport {
  const report = JSON.parse(text) as VerificationReport
  explain(report)
  texts.set(frozen(report), text)
  return report
}

function frozen<T extends object>(value: T): T {
  // `for in` allocates nothing: a report can contain thousands of interactions.
  for (const name in value) {
    const member = value[name]
    if (typeof member === 'object' && member !== null) frozen(member)
  }
  return Object.freeze(value)
}

function textOf(report: VerificationReport | string): string {
  if (typeof report === 'string') return report
  const known = typeof report === 'object' && report !== null ? texts.get(report) : undefined
  // A copy contains the numbers as JavaScript represents them.
  return (
    known ?? encoded(report, undefined, (number) => (Number.isNaN(number) ? 'null' : number > 0 ? '1e999' : '-1e999'))
  )
}

/**
 * Converts a report to another format.
 *
 * @param report - the result of `Verifier.verify`, the `report` of a `VerificationError`, or the JSON text of a report
 */
export function formatReport(report: VerificationReport | string, format: ReportFormat): string {
  return unwrap(native.formatReport(textOf(report), encoded(format)))
}

/** Converts a report to another format and writes it to a file. Missing directories are created. */
export async function writeReport(
  report: VerificationReport | string,
  format: ReportFormat,
  path: string | URL,
): Promise<void> {
  unwrap(await native.writeReport(textOf(report), encoded(format), encoded(path)))
}
