/** The result of one check. */
export interface Check {
  readonly name: 'node' | 'package' | 'core' | 'executable' | 'runner' | 'directory' | 'pact-js' | 'ci' | 'broker'
  /** `warning` does not fail the command. `skipped` means that the check does not apply or could not be made. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The result of the check in one sentence. */
  readonly text: string
  /** What the user must do to solve the problem. Absent if there is none. */
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
