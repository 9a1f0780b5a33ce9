// Matchers for strings in well-known formats. Each has a default example.
import { make } from './matcher-calls.js'
import type { Matcher } from './template.js'

/** Matches an email address. */
export const email = preset('email')
/** Matches an IPv4 address. */
export const ipv4Address = preset('ipv4Address')
/** Matches an IPv6 address. */
export const ipv6Address = preset('ipv6Address')
/** Matches an ISO 8601 date, such as `2024-02-29`. */
export const iso8601Date = preset('iso8601Date')
/**
 * Matches an ISO 8601 date and time with a time zone, such as `2024-02-29T13:45:00Z`. Fractions of a second are
 * optional.
 */
export const iso8601DateTime = preset('iso8601DateTime')
/**
 * Matches an ISO 8601 date and time with a time zone and at least three fractional digits, such as
 * `2024-02-29T13:45:00.123Z`.
 */
export const iso8601DateTimeWithMillis = preset('iso8601DateTimeWithMillis')
/** Matches an ISO 8601 time, such as `T13:45:00`. Fractions of a second and a time zone are optional. */
export const iso8601Time = preset('iso8601Time')
/** Matches a date and time in the format of HTTP headers and emails, such as `Thu, 29 Feb 2024 13:45:00 GMT`. */
export const rfc1123Timestamp = preset('rfc1123Timestamp')
/** Matches a string of hexadecimal digits, such as `3F`. */
export const hexadecimal = preset('hexadecimal')

function preset(name: string) {
  return (example?: string): Matcher<string> => make(`match.${name}`, { example })
}

/** Options for `match.url`. */
export interface UrlParts {
  /** The path: a string, a `match.regex`, or an array of these, which are joined by slashes. */
  readonly path: string | Matcher<string> | readonly (string | Matcher<string>)[]
  /** The part of the example before the path. Default: `http://localhost`. */
  readonly base?: string | undefined
}

/** Matches a URL with this path on any host. The mock server replaces the part before the path with its own URL. */
export function url(parts: UrlParts): Matcher<string> {
  return make('match.url', {}, parts)
}
