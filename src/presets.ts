// Matchers for strings in well-known formats. Each has a default example.
import { make } from './matcher-calls.js'
import type { Matcher } from './template.js'

/** Matches an email address. */
export const email = preset('email')
/** Matches an IPv4 address. */
export const ipv4Address = preset('ipv4Address')
/** Matches an IPv6 address. */
export const ipv6Address = preset('ipv6Address')
/** Matches an ISO 8601 date. */
export const iso8601Date = preset('iso8601Date')
/** Matches an ISO 8601 date and time with a time zone, with or without fractions of a second. */
export const iso8601DateTime = preset('iso8601DateTime')
/** Matches an ISO 8601 date and time with a time zone and at least milliseconds. */
export const iso8601DateTimeWithMillis = preset('iso8601DateTimeWithMillis')
/** Matches an ISO 8601 time, with or without fractions of a second and a time zone. */
export const iso8601Time = preset('iso8601Time')
/** Matches a date and time in the format of HTTP headers and emails. */
export const rfc1123Timestamp = preset('rfc1123Timestamp')
/** Matches hexadecimal digits. */
export const hexadecimal = preset('hexadecimal')

function preset(name: string) {
  return (example?: string): Matcher<string> => make(`match.${name}`, { example })
}

/** Options of `match.url`. */
export interface UrlParts {
  /** The path: a string, a `match.regex`, or an array of them to join with slashes. */
  readonly path: string | Matcher<string> | readonly (string | Matcher<string>)[]
  /** The beginning of the URL in the example. Default: `http://localhost`. */
  readonly base?: string | undefined
}

/** Matches a URL with this path on any host. The mock server replaces the base with its own URL. */
export function url(parts: UrlParts): Matcher<string> {
  return make('match.url', {}, parts)
}
