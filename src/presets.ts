import { checked, GENERATOR, literalPattern, refuse, TYPE } from './checked.js'
import { fieldsOf, isMatcher, type Matcher } from './template.js'

/** Texts of well-known forms: each a pattern with an example of its own. */
function preset(name: string, pattern: string, usual: string) {
  return (example: string = usual): Matcher<string> =>
    checked(`match.${name}`, { [TYPE]: 'regex', regex: pattern, value: example })
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const ipv4 = `(?:${octet}\\.){3}${octet}`
const group = '[0-9A-Fa-f]{1,4}'
const day = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])'
const clock = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)'
const zone = '(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])'

/** All ways to write an IPv6 address: eight groups, or fewer around one `::`, the last two also as an IPv4 address. */
const ipv6 = [
  `(?:${group}:){7}(?:${group}|:)`,
  ...[6, 5, 4, 3, 2, 1].map((before) => `(?:${group}:){${before}}(?::${group}){1,${7 - before}}`),
  `(?:${group}:){1,6}:`,
  `:(?::${group}){1,7}`,
  '::',
  `(?:${group}:){6}${ipv4}`,
  `(?:${group}:){1,5}:(?:${group}:){0,4}${ipv4}`,
  `::(?:${group}:){0,5}${ipv4}`,
].join('|')

/** An e-mail address. */
export const email = preset('email', `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})+`, 'alice@example.com')
/** An IPv4 address. */
export const ipv4Address = preset('ipv4Address', ipv4, '127.0.0.1')
/** An IPv6 address. */
export const ipv6Address = preset('ipv6Address', ipv6, '2001:db8::1')
/** A date as in ISO 8601. */
export const iso8601Date = preset('iso8601Date', day, '2024-02-29')
/** A date and time as in ISO 8601, with a zone, with or without fractions of a second. */
export const iso8601DateTime = preset('iso8601DateTime', `${day}T${clock}(?:\\.[0-9]+)?${zone}`, '2024-02-29T13:45:00Z')
/** A date and time as in ISO 8601, with a zone and with milliseconds or finer. */
export const iso8601DateTimeWithMillis = preset(
  'iso8601DateTimeWithMillis',
  `${day}T${clock}\\.[0-9]{3,}${zone}`,
  '2024-02-29T13:45:00.123Z',
)
/** A time of day as in ISO 8601, with or without fractions and zone. */
export const iso8601Time = preset('iso8601Time', `T?${clock}(?:\\.[0-9]+)?${zone}?`, '13:45:00')
/** A date and time as in HTTP headers and e-mails. */
export const rfc1123Timestamp = preset(
  'rfc1123Timestamp',
  '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} ' +
    `${clock} (?:GMT|UTC|[+-][0-9]{4})`,
  'Thu, 29 Feb 2024 13:45:00 GMT',
)
/** Hexadecimal digits. */
export const hexadecimal = preset('hexadecimal', '[0-9A-Fa-f]+', '3f')

/** A URL of the provider. */
export interface UrlParts {
  /** The path: a text, a `match.regex`, or several of them that are joined by slashes. */
  readonly path: string | Matcher<string> | readonly (string | Matcher<string>)[]
  /** What stands before the path in the example. Default: `http://localhost`. */
  readonly base?: string
}

/** A URL with this path, whatever its host. The mock server puts its own address in front. */
export function url({ path, base = 'http://localhost' }: UrlParts): Matcher<string> {
  const pieces = [path].flat().map((piece) => {
    if (typeof piece === 'string') return { example: piece, pattern: literalPattern(trimmed(piece)) }
    const fields = isMatcher(piece) ? fieldsOf(piece) : {}
    if (fields[TYPE] !== 'regex' || typeof fields.value !== 'string') {
      refuse('match.url', 'a piece of the path must be a text, or match.regex with an example')
    }
    return { example: fields.value, pattern: `(?:${String(fields.regex)})` }
  })
  if (pieces.length === 0) refuse('match.url', 'give a path')
  const example = [trimmed(base), ...pieces.map((piece) => trimmed(piece.example))].join('/')
  const pattern = `.*(${pieces.map((piece) => `/${piece.pattern}`).join('')})`
  return checked('match.url', {
    [TYPE]: 'regex',
    regex: pattern,
    [GENERATOR]: 'MockServerURL',
    example,
    value: example,
  })
}

/** Without slashes at its ends. */
function trimmed(piece: string): string {
  return piece.replace(/^\/+|\/+$/g, '')
}
