import { pathOf } from './directory.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import type { VerificationReport } from './report.js'
import { toJsonText } from './template.js'

/**
 * What a report is written as: `json` (the report itself), `junit` (XML for CI systems), `markdown` (for the summary of a
 * job), `html` (one page that needs nothing else) or `github` (annotations for GitHub Actions, to be printed).
 */
export type ReportFormat = 'json' | 'junit' | 'markdown' | 'html' | 'github'

/** A report as text in a format. Takes what `verify` returns and what `VerificationError` carries. */
export function formatReport(report: VerificationReport, format: ReportFormat): string {
  return unwrap(native.formatReport(toJsonText(report, 'formatReport'), format))
}

/** Writes a report to a file; directories on the way are made. */
export async function writeReport(report: VerificationReport, format: ReportFormat, path: string | URL): Promise<void> {
  unwrap(await native.writeReport(toJsonText(report, 'writeReport'), format, pathOf(path)))
}
