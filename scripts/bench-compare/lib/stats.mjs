export const sorted = (xs) => [...xs].sort((a, b) => a - b)
export function quantile(xs, q) {
  const s = sorted(xs)
  if (!s.length) return NaN
  const i = (s.length - 1) * q
  const lo = Math.floor(i)
  return s[lo] + (s[Math.ceil(i)] - s[lo]) * (i - lo)
}
export const median = (xs) => quantile(xs, 0.5)
export const round = (x) => (Number.isFinite(x) ? Number(x.toPrecision(5)) : x)
export const summary = (xs) => ({
  median: round(median(xs)),
  min: round(Math.min(...xs)),
  max: round(Math.max(...xs)),
  values: xs.map(round),
})
