import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { generate, graphql, type HttpInteraction, match, xml } from 'contract'
import { exchange, post, postJson } from './support/exchange.ts'
import { temporaryDirectory } from './support/temporary.ts'

const request = (interaction: HttpInteraction) => interaction.withRequest('POST', '/')
const done = (interaction: HttpInteraction) => interaction.willRespondWith(204)

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('a JSON body', () => {
  test('can be a string', async () => {
    const define = (interaction: HttpInteraction) => done(request(interaction).withJsonBody('abc'))
    expect((await exchange(define, post('"abc"', 'application/json'))).written.request.body).toEqual({
      content: 'abc',
      contentType: 'application/json',
      encoded: false,
    })
    expect((await exchange(define, post('"abd"', 'application/json'))).differences).toEqual(['BodyMismatch $'])
  })

  test('null differs from no body', async () => {
    const define = (interaction: HttpInteraction) => done(request(interaction).withBody(null))
    expect((await exchange(define, post('null', 'application/json'))).differences).toEqual([])
    expect((await exchange(define, post('1', 'application/json'))).differences).toEqual(['BodyMismatch $'])
  })

  test('rejects bytes', () => {
    expect.assertions(1)
    return exchange((interaction) => {
      expect(() => request(interaction).withBody(new Uint8Array([1]) as never)).toThrow('use withBinaryBody')
      done(interaction)
    }, post(''))
  })
})

describe('a text body', () => {
  test('is compared as text, even if it could be JSON', async () => {
    const define = (interaction: HttpInteraction) => done(request(interaction).withTextBody('12'))
    const { written, differences } = await exchange(define, post('12', 'text/plain'))
    expect(differences).toEqual([])
    expect(written.request.body).toEqual({ content: '12', contentType: 'text/plain', encoded: false })
    expect((await exchange(define, post('13', 'text/plain'))).differences).toEqual(['BodyMismatch $'])
  })

  test('can be a matcher, with the content type of a header', async () => {
    const define = (interaction: HttpInteraction) =>
      done(
        request(interaction)
          .withHeader('Content-Type', 'text/csv')
          .withTextBody(match.regex('a,1\n', /(\w+,\d+\n)+/)),
      )
    const { written } = await exchange(define, post('a,1\nb,2\n', 'text/csv'))
    expect(written.request.body.contentType).toBe('text/csv')
    expect(written.request.matchingRules.body.$.matchers).toEqual([
      { match: 'regex', regex: '([A-Za-z0-9_]+,[0-9]+\\n)+' },
    ])
    expect((await exchange(define, post('a;1', 'text/csv'))).differences).toEqual(['BodyMismatch $'])
  })
})

describe('a form', () => {
  const define = (interaction: HttpInteraction) =>
    done(
      request(interaction).withFormBody({
        name: match.str('Alice & Bob'),
        age: match.int(30),
        tag: ['a', match.regex('b1', /b\d/)],
        plain: 'x y',
      }),
    )

  test('is sent by URLSearchParams', async () => {
    const form = new URLSearchParams([
      ['name', 'Ümläut'],
      ['age', '7'],
      ['tag', 'a'],
      ['tag', 'b9'],
      ['plain', 'x y'],
    ])
    const { differences, written } = await exchange(define, post(form))
    expect(differences).toEqual([])
    expect(new URLSearchParams(written.request.body.content).getAll('tag')).toEqual(['a', 'b1'])
    expect(written.request.body.contentType).toBe('application/x-www-form-urlencoded')
    expect(Object.keys(written.request.matchingRules.body).sort()).toEqual(['$.age', '$.name', '$.tag[1]'])
  })

  test('reports the form field that differs', async () => {
    const form = new URLSearchParams([
      ['name', 'x'],
      ['age', 'seven'],
      ['tag', 'a'],
      ['tag', 'c'],
      ['plain', 'x y'],
    ])
    expect((await exchange(define, post(form))).differences).toEqual(['BodyMismatch $.age', 'BodyMismatch $.tag[1]'])
  })
})

describe('an XML body', () => {
  const order = () =>
    xml.element(
      'order',
      { id: match.int(7), 'xmlns:p': 'urn:prices' },
      xml.element('note', 'leave at <the> door'),
      xml
        .element(
          'item',
          { sku: match.regex('A1', /[A-Z]\d/) },
          xml.element('name', match.str('tea')),
          xml.element('p:price', match.float(2.5)),
        )
        .each({ min: 2 }),
    )
  const define = (interaction: HttpInteraction) => done(request(interaction).withXmlBody(order()))
  const item = (sku: string, price: string) => `<item sku="${sku}"><name>x</name><p:price>${price}</p:price></item>`
  const document = (items: string, id = '12') =>
    `<?xml version="1.0"?>\n<order xmlns:p="urn:prices" id="${id}">\n  ${items}<note>leave at &lt;the&gt; door</note>\n</order>`

  test('is built from elements, with standard matching rules', async () => {
    const sent = document(item('B2', '1.0') + item('C3', '0.5') + item('D4', '2.25'))
    const { differences, written } = await exchange(define, post(sent, 'application/xml'))
    expect(differences).toEqual([])
    expect(written.request.body.content).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><order id="7" xmlns:p="urn:prices"><note>leave at &lt;the&gt; door</note>' +
        '<item sku="A1"><name>tea</name><p:price>2.5</p:price></item>'.repeat(2) +
        '</order>',
    )
    expect(written.request.headers['Content-Type']).toEqual(['application/xml'])
    expect(written.request.matchingRules.body).toEqual({
      "$.order['@id']": { combine: 'AND', matchers: [{ match: 'integer' }] },
      '$.order.item': { combine: 'AND', matchers: [{ match: 'type', min: 2 }] },
      "$.order.item['@sku']": { combine: 'AND', matchers: [{ match: 'regex', regex: '[A-Z][0-9]' }] },
      "$.order.item.name['#text']": { combine: 'AND', matchers: [{ match: 'type' }] },
      "$.order.item['urn:prices:price']['#text']": { combine: 'AND', matchers: [{ match: 'decimal' }] },
    })
  })

  test('reports the element or attribute that differs', async () => {
    const ids = await exchange(define, post(document(item('B2', '1.0') + item('C3', '1.5'), 'x'), 'application/xml'))
    expect(ids.differences).toEqual(["BodyMismatch $.order['@id']"])
    const price = await exchange(define, post(document(item('B2', '1.0') + item('C3', 'x')), 'application/xml'))
    expect(price.differences).toEqual(["BodyMismatch $.order.item[1]['p:price']['#text']"])
    const few = await exchange(define, post(document(''), 'application/xml'))
    expect(few.differences.length).toBeGreaterThan(0)
  })

  test('can be a string, or passed to withBody', async () => {
    const text = (interaction: HttpInteraction) => done(request(interaction).withXmlBody('<a><b/></a>'))
    expect((await exchange(text, post('<a>\n<b></b></a>', 'application/xml'))).differences).toEqual([])
    const body = (interaction: HttpInteraction) => done(request(interaction).withBody(xml.body(xml.element('a', 'x'))))
    expect((await exchange(body, post('<a>x</a>', 'application/xml'))).differences).toEqual([])
    expect((await exchange(body, post('<a>y</a>', 'application/xml'))).differences).toEqual([
      "BodyMismatch $.a['#text']",
    ])
  })

  test('contains generated values', async () => {
    const { text } = await exchange(
      (interaction) =>
        interaction
          .withRequest('GET', '/')
          .willRespondWith(200)
          .withXmlBody(xml.element('a', { id: generate.uuid() }, match.int())),
      (url) => fetch(url),
    )
    expect(text).toMatch(/<a id="[0-9a-f]{8}-[0-9a-f-]{27}">\d+<\/a>/)
  })
})

describe('a body of bytes', () => {
  test('is compared byte by byte', async () => {
    const define = (interaction: HttpInteraction) => done(request(interaction).withBinaryBody(png, 'image/png'))
    const { differences, written } = await exchange(define, post(png, 'image/png'))
    expect(differences).toEqual([])
    expect(written.request.body).toEqual({
      content: png.toString('base64'),
      contentType: 'image/png',
      encoded: 'base64',
    })
    const other = Buffer.concat([png, Buffer.from([0])])
    expect((await exchange(define, post(other, 'image/png'))).differences).toEqual(['BodyMismatch $'])
  })

  test('can be compared by type only', async () => {
    const define = (interaction: HttpInteraction) =>
      done(
        request(interaction).withBinaryBody(new Uint8Array(png).buffer, {
          contentType: 'image/png',
          match: 'contentType',
        }),
      )
    const other = Buffer.concat([png, Buffer.from([0])])
    expect((await exchange(define, post(other, 'image/png'))).differences).toEqual([])
    const { differences } = await exchange(define, post(Buffer.from('%PDF-1.4\n'), 'image/png'))
    expect(differences).toEqual(['BodyMismatch $'])
  })

  test('can be a file', async () => {
    const path = join(temporaryDirectory(), 'pixel.png')
    writeFileSync(path, png)
    const define = (interaction: HttpInteraction) => done(request(interaction).withBinaryFile(path))
    const { written } = await exchange(define, post(Buffer.concat([png, png]), 'image/png'))
    expect(written.request.matchingRules.body.$.matchers).toEqual([{ match: 'contentType', value: 'image/png' }])
    const exact = (interaction: HttpInteraction) => done(request(interaction).withBinaryFile(path, { match: 'bytes' }))
    expect((await exchange(exact, post(Buffer.concat([png, png]), 'application/octet-stream'))).differences).toEqual([
      'BodyMismatch $',
    ])
  })
})

describe('a multipart body', () => {
  const path = join(temporaryDirectory(), 'pixel.png')
  writeFileSync(path, png)

  const define = (interaction: HttpInteraction) =>
    done(
      request(interaction)
        .withMultipart([
          { name: 'user', json: { id: match.int(7), name: match.str('Alice') } },
          { name: 'note', text: match.regex('hello', /[a-z]+/) },
          { name: 'exact', text: 'as it is' },
        ])
        .withMultipartFile('picture', path, { contentType: 'image/png' }),
    )
  const form = (change: (form: FormData) => void = () => {}) => {
    const data = new FormData()
    data.set('user', new Blob(['{"id": 12, "name": "Bob"}'], { type: 'application/json' }))
    data.set('note', 'goodbye')
    data.set('exact', 'as it is')
    data.set('picture', new Blob([png, png], { type: 'image/png' }), 'other.png')
    change(data)
    return data
  }

  test('is sent by FormData', async () => {
    const { differences, written } = await exchange(define, post(form()))
    expect(differences).toEqual([])
    const { body, matchingRules } = written.request
    expect(body.contentType).toBe('multipart/form-data;boundary=contract-boundary-0')
    const sent = body.encoded === 'base64' ? Buffer.from(body.content, 'base64').toString('latin1') : body.content
    expect(sent.replace(/\r\n\x89PNG[\s\S]*\r\n--/, '\r\n…\r\n--')).toMatchInlineSnapshot(`
"--contract-boundary-0
Content-Disposition: form-data; name="user"
Content-Type: application/json

{"id":7,"name":"Alice"}
--contract-boundary-0
Content-Disposition: form-data; name="note"

hello
--contract-boundary-0
Content-Disposition: form-data; name="exact"

as it is
--contract-boundary-0
Content-Disposition: form-data; name="picture"; filename="pixel.png"
Content-Type: image/png

…
--contract-boundary-0--
"
`)
    expect(matchingRules.header['Content-Type'].matchers).toEqual([
      { match: 'regex', regex: '(?i)multipart/form-data;.*boundary=.+' },
    ])
    expect(matchingRules.body).toEqual({
      '$.note': { combine: 'AND', matchers: [{ match: 'regex', regex: '[a-z]+' }] },
      '$.picture': { combine: 'AND', matchers: [{ match: 'contentType', value: 'image/png' }] },
      '$.user.id': { combine: 'AND', matchers: [{ match: 'integer' }] },
      '$.user.name': { combine: 'AND', matchers: [{ match: 'type' }] },
    })
  })

  test.each([
    [
      'a field in JSON',
      (data: FormData) => data.set('user', new Blob(['{"id": "x", "name": "Bob"}'], { type: 'application/json' })),
      'BodyMismatch $.user.id',
    ],
    ['a matched text', (data: FormData) => data.set('note', '123'), 'BodyMismatch $.note'],
    ['an exact text', (data: FormData) => data.set('exact', 'or not'), 'BodyMismatch $.exact'],
    [
      'the type of a file',
      (data: FormData) => data.set('picture', new Blob(['%PDF-1.4\n'], { type: 'image/png' }), 'a.png'),
      'BodyMismatch $.picture',
    ],
    ['a part that is missing', (data: FormData) => data.delete('note'), 'BodyMismatch $.note'],
  ])('says where it differs: %s', async (_, change, difference) => {
    expect((await exchange(define, post(form(change)))).differences).toEqual([difference])
  })

  test('supports bytes, a boundary, and an empty part', async () => {
    const bytes = (interaction: HttpInteraction) =>
      done(
        request(interaction)
          .withMultipart([{ name: 'picture', bytes: png, filename: 'a.png' }], { boundary: 'my-own' })
          .withMultipartFile('nothing', null),
      )
    const data = new FormData()
    data.set('picture', new Blob([png]), 'b.png')
    data.set('nothing', '')
    const { differences, written } = await exchange(bytes, post(data))
    expect(differences).toEqual([])
    expect(written.request.headers['Content-Type']).toEqual(['multipart/form-data;boundary=my-own'])
  })
})

describe('a GraphQL request', () => {
  const query = `query User($id: ID!, $withName: Boolean = true) {
    user(id: $id, tags: ["a", "b"]) { id, name @include(if: $withName) ...Rest }
  }
  fragment Rest on User { email }`
  const define = (interaction: HttpInteraction) =>
    request(interaction)
      .withGraphQL({ query, variables: { id: match.str('7') }, operationName: 'User' })
      .willRespondWith(200)
      .withBody({ data: { user: { id: match.str('7') } } })
  const send = (text: string, variables: unknown = { id: '12' }) =>
    postJson({ operationName: 'User', query: text, variables })

  test('is compared as a document', async () => {
    const compact =
      'query User($id:ID!$withName:Boolean=true){user(id:$id tags:["a" "b"]){id name@include(if:$withName)...Rest}}fragment Rest on User{email}'
    for (const text of [query, compact, `# who\n${query.replaceAll('\n', ' # a comment\n')}`]) {
      expect((await exchange(define, send(text))).differences).toEqual([])
    }
    const { written } = await exchange(define, send(query))
    expect(written.request.body.content).toEqual({ query, variables: { id: '7' }, operationName: 'User' })
    expect(Object.keys(written.request.matchingRules.body)).toEqual(['$.query', '$.variables.id'])
    expect(written.request.matchingRules.body['$.query'].matchers[0].match).toBe('regex')
  })

  test('reports differences of the document and the variables', async () => {
    expect((await exchange(define, send(query.replace('id, name', 'name, id')))).differences).toEqual([
      'BodyMismatch $.query',
    ])
    expect((await exchange(define, send(query.replace('"a", "b"', '"a, b"')))).differences).toEqual([
      'BodyMismatch $.query',
    ])
    expect((await exchange(define, send(query, { id: 7 }))).differences).toEqual(['BodyMismatch $.variables.id'])
  })

  test('can be a parsed document, or a matcher anywhere', async () => {
    const parsed = { kind: 'Document', loc: { source: { body: '{ me { id } }' } } }
    const batch = (interaction: HttpInteraction) =>
      done(request(interaction).withBody([{ query: graphql.document(parsed) }]))
    expect((await exchange(batch, postJson([{ query: 'query{me{id}}' }]))).differences).toEqual([])
    expect((await exchange(batch, postJson([{ query: '{me{name}}' }]))).differences).toEqual([
      'BodyMismatch $[0].query',
    ])
  })
})
