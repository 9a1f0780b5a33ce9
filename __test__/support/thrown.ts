/** Returns the rejection of a promise; throws if it resolves. */
export async function thrown(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
