// The list of third-party crates in the native files (software bill of materials), in the format CycloneDX 1.5. It is made from committed
// files, so that it requires no Rust and is the same on every machine: THIRD-PARTY-NOTICES.txt lists the linked crates, and
// Cargo.lock their checksums and dependencies.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noticesFile, root } from './root.mjs'

/** Name of the file in packages and archives. */
export const sbomFile = 'contract.cdx.json'

/** The text of the list. */
export function sbomText() {
  return `${JSON.stringify(sbom(), null, 2)}\n`
}

export function sbom() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const crates = linkedCrates()
  const locked = lockedCrates()
  const known = new Map(crates.map((crate) => [`${crate.name} ${crate.version}`, purl(crate)]))
  const own = `contract@${version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        'bom-ref': own,
        name: 'contract',
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: crates.map((crate) => component(crate, locked.get(`${crate.name} ${crate.version}`))),
    dependencies: [
      { ref: own, dependsOn: [...known.values()] },
      ...crates.map(({ name, version: number }) => {
        const { dependencies } = locked.get(`${name} ${number}`)
        const dependsOn = dependencies.map((one) => known.get(one)).filter((one) => one !== undefined)
        return { ref: known.get(`${name} ${number}`), ...(dependsOn.length > 0 && { dependsOn }) }
      }),
    ],
  }
}

function component({ name, version, license, repository }, { checksum }) {
  const ref = purl({ name, version })
  return {
    type: 'library',
    'bom-ref': ref,
    name,
    version,
    purl: ref,
    ...(license && { licenses: [{ expression: license }] }),
    hashes: [{ alg: 'SHA-256', content: checksum }],
    ...(repository && { externalReferences: [{ type: 'vcs', url: repository }] }),
  }
}

function purl({ name, version }) {
  return `pkg:cargo/${name}@${version}`
}

/** The crates in the head of the notices: `name version · license · repository`. */
function linkedCrates() {
  const text = readFileSync(join(root, noticesFile), 'utf8')
  return [...text.matchAll(/^(\S+) (\S+) · (.*)$/gm)].map(([, name, version, rest]) => {
    const [license, repository] = rest.split(' · ')
    // Older crates separate alternatives with a slash.
    const isFile = license.startsWith('see ')
    return { name, version, license: isFile ? undefined : license.replaceAll(/ ?\/ ?/g, ' OR '), repository }
  })
}

/** The crates of Cargo.lock by name and version, with the names and versions of their dependencies. */
export function lockedCrates() {
  const text = readFileSync(join(root, 'Cargo.lock'), 'utf8')
  const blocks = text.split(/^\[\[package\]\]$/m).slice(1)
  const crates = blocks.map((block) => {
    const field = (key) => new RegExp(`^${key} = "(.*)"$`, 'm').exec(block)?.[1]
    const [, list = ''] = /^dependencies = \[\n([^\]]*)\]$/m.exec(block) ?? []
    const dependencies = [...list.matchAll(/"(.*)"/g)].map(([, one]) => one)
    return { name: field('name'), version: field('version'), checksum: field('checksum'), dependencies }
  })
  // The version of a dependency is omitted if there is only one.
  const onlyVersions = new Map(crates.map(({ name, version }) => [name, version]))
  const withVersion = (one) => (one.includes(' ') ? one : `${one} ${onlyVersions.get(one)}`)
  return new Map(
    crates.map((crate) => [
      `${crate.name} ${crate.version}`,
      { ...crate, dependencies: crate.dependencies.map(withVersion) },
    ]),
  )
}
