// Writes Pact V4 files from neutral interactions, without any product, so that
// each product reads exactly the same file.
import fs from 'node:fs'
import { bodyRules, example } from './template.mjs'

const headers = (h = {}) => Object.fromEntries(Object.entries(h).map(([k, v]) => [k, [v]]))
const part = (p, extra) => {
  const out = { ...extra }
  if (p.headers) out.headers = headers(p.headers)
  if (p.body !== undefined) {
    out.body = { content: example(p.body), contentType: 'application/json', encoded: false }
    const rules = bodyRules(p.body)
    if (Object.keys(rules).length) out.matchingRules = { body: rules }
  }
  return out
}

export function contractJson({ consumer, provider, interactions }) {
  return {
    consumer: { name: consumer },
    provider: { name: provider },
    interactions: interactions.map((i) => ({
      type: 'Synchronous/HTTP',
      description: i.description,
      pending: false,
      ...(i.states?.length ? { providerStates: i.states.map((s) => ({ name: s.name, params: s.params ?? {} })) } : {}),
      request: part(i.request, { method: i.request.method, path: i.request.path }),
      response: part(i.response, { status: i.response.status }),
    })),
    metadata: { pactSpecification: { version: '4.0' } },
  }
}

export function writeContractFile(file, contract) {
  fs.writeFileSync(file, JSON.stringify(contractJson(contract), null, 2))
  return fs.statSync(file).size
}

export function readContractFile(file) {
  const size = fs.statSync(file).size
  return { bytes: size, interactions: JSON.parse(fs.readFileSync(file, 'utf8')).interactions.length }
}
