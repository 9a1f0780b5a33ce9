/** Fetches the price of an article, in cents. */
export async function priceOf(url, article) {
  const response = await fetch(`${url}/prices/${encodeURIComponent(article)}`)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`the prices service returned status ${response.status}`)
  return (await response.json()).cents
}
