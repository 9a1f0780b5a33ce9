/** The result of one check. */
export interface Check {
  readonly name: 'node' | 'package' | 'core' | 'executable' | 'runner' | 'directory' | 'pact-js' | 'ci' | 'broker'
  /** `warning` needs attention and does not fail the command; `skipped` does not apply. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was found. */
  readonly text: string
  /** What to do. */
  readonly fix?: string
}

type Name = Check['name']

export const ok = (name: Name, text: string): Check => ({ name, status: 'ok', text })
export const skipped = (name: Name, text: string, fix?: string): Check => ({
  name,
  status: 'skipped',
  text,
  ...(fix === undefined ? {} : { fix }),
})
export const warning = (name: Name, text: string, fix: string): Check => ({ name, status: 'warning', text, fix })
export const failed = (name: Name, text: string, fix: string): Check => ({ name, status: 'failed', text, fix })
