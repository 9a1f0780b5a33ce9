// Texts of well-known forms. Without an example each has one of its own.
import { make } from './made.js'
import type { Matcher } from './template.js'

/** An e-mail address. */
export const email = preset('email')
/** An IPv4 address. */
export const ipv4Address = preset('ipv4Address')
/** An IPv6 address. */
export const ipv6Address = preset('ipv6Address')
/** A date as in ISO 8601. */
export const iso8601Date = preset('iso8601Date')
/** A date and time as in ISO 8601, with a zone, with or without fractions of a second. */
export const iso8601DateTime = preset('iso8601DateTime')
/** A date and time as in ISO 8601, with a zone and with milliseconds or finer. */
export const iso8601DateTimeWithMillis = preset('iso8601DateTimeWithMillis')
/** A time of day as in ISO 8601, with or without fractions and zone. */
export const iso8601Time = preset('iso8601Time')
/** A date and time as in HTTP headers and e-mails. */
export const rfc1123Timestamp = preset('rfc1123Timestamp')
/** Hexadecimal digits. */
export const hexadecimal = preset('hexadecimal')

function preset(name: string) {
  return (example?: string): Matcher<string> => make(`match.${name}`, { example })
}

/** A URL of the provider. */
export interface UrlParts {
  /** The path: a text, a `match.regex`, or several of them that are joined by slashes. */
  readonly path: string | Matcher<string> | readonly (string | Matcher<string>)[]
  /** What stands before the path in the example. Default: `http://localhost`. */
  readonly base?: string | undefined
}

/** A URL with this path, whatever its host. The mock server puts its own address in front. */
export function url(parts: UrlParts): Matcher<string> {
  return make('match.url', {}, parts)
}
