// Writes a contract with @pact-foundation/pact: `node random-write.cjs FOLDER-OF-PACT DIRECTORY VERSION FILE`. The file has the
// expectations of random-contracts.ts as JSON, each with requests. Prints the status of the mock server's response to each request.
const { readFileSync } = require('node:fs')
const { request } = require('node:http')
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, dir, version, file] = process.argv.slice(2)
const { PactV3, PactV4, MatchersV3 } = createRequire(join(folder, 'package.json'))('@pact-foundation/pact')
const like = MatchersV3

function built(node) {
  switch (node.kind) {
    case 'literal':
      return node.value
    case 'equal':
      return like.equal(node.value)
    case 'integer':
    case 'decimal':
    case 'number':
    case 'boolean':
    case 'string':
    case 'uuid':
    case 'includes':
      return like[node.kind](node.value)
    case 'regex':
      return like.regex(node.pattern, node.value)
    case 'date':
    case 'time':
    case 'datetime':
      return like[node.kind](node.format, node.value)
    case 'null':
      return like.nullValue()
    case 'like':
      return like.like(built(node.of))
    case 'object':
      return Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [name, built(field)]))
    case 'array':
      return node.items.map(built)
    case 'eachLike':
      return node.max === undefined
        ? like.atLeastLike(built(node.of), node.min)
        : like.constrainedArrayLike(built(node.of), node.min, node.max)
    case 'eachValue':
      return like.eachValueMatches(node.value, built(node.of))
  }
}

const builtAll = (nodes) =>
  Object.fromEntries(
    Object.entries(nodes).map(([name, node]) => [name, Array.isArray(node) ? node.map(built) : built(node)]),
  )

/** Without keep-alive: the next mock server may get the same port. */
function send(url, { method, target, headers, body }) {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    request(url + target, { method, agent: false, headers: { ...type, ...headers } }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode)),
    )
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Defines one interaction with a new contract object. */
function defined(options, version, one) {
  const path = one.id ? like.fromProviderState(one.id.expression, one.id.value) : one.path
  const [query, requestHeaders, headers] = [one.query, one.requestHeaders, one.headers].map(builtAll)
  if (version === 'V3') {
    const pact = new PactV3(options)
    for (const { name, parameters } of one.states) pact.given(name, parameters)
    const body = (node) => node && { body: built(node), contentType: 'application/json' }
    return pact
      .uponReceiving(one.path)
      .withRequest({ method: one.method, path, query, headers: requestHeaders, ...body(one.requestBody) })
      .willRespondWith({ status: one.status, headers, ...body(one.body) })
  }
  const interaction = new PactV4(options).addInteraction()
  for (const { name, parameters } of one.states) interaction.given(name, parameters)
  return interaction
    .uponReceiving(one.path)
    .withRequest(one.method, path, (builder) => {
      builder.query(query).headers(requestHeaders)
      if (one.requestBody) builder.jsonBody(built(one.requestBody))
    })
    .willRespondWith(one.status, (builder) => {
      builder.headers(headers)
      if (one.body) builder.jsonBody(built(one.body))
    })
}

/**
 * Runs a test of one interaction. pact-js sometimes asks its mock server for the received requests before the mock server has
 * recorded a request that it answered, and reports it as missing. Such a test runs again.
 */
async function served(define, status, example, attempts = 10) {
  let answered
  try {
    await define().executeTest(async ({ url }) => {
      answered = await send(url, example)
    })
  } catch (error) {
    const isRace = answered === status && error.message.includes('expected but not received')
    if (!isRace || attempts === 1) throw error
    await served(define, status, example, attempts - 1)
  }
}

async function main() {
  const options = { consumer: 'web', provider: 'users', dir, logLevel: 'error', log: join(dir, 'pact.log') }
  const answers = {}
  const trials = JSON.parse(readFileSync(file, 'utf8'))
  for (const { example, requests, ...one } of trials) {
    await served(() => defined(options, version, one), one.status, example).catch((error) => {
      throw new Error(`${error.message}\n${JSON.stringify({ example, ...one })}`)
    })
  }
  // An unexpected request fails the test, so nothing is written.
  for (const { requests, ...one } of trials) {
    const statuses = []
    const test = async ({ url }) => {
      for (const asked of requests) statuses.push(await send(url, asked))
    }
    await defined({ ...options, dir: join(dir, 'unwritten') }, version, one)
      .executeTest(test)
      .catch(() => {})
    answers[one.path] = statuses
  }
  console.log(`\n${JSON.stringify(answers)}`)
}

main()
