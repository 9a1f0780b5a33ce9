/** Returns whether `version` is older than `than`. Compares only the major and minor numbers. */
export function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number)
  return major === oldestMajor ? minor < oldestMinor : major < oldestMajor
}
