// A PostgreSQL server for the partner tests, on a free port of this machine. It ends with the script that started it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, StepFailed } from './run.mjs'

/** Debian packages for a server and its certificate. */
const packages = ['postgresql', 'openssl']

/**
 * Starts a server with an empty database. `url` is its URL. `certificates` is a directory: the authority `ca.pem` has
 * signed the certificate for localhost, and `other.pem` has not. The user `encrypted` must use TLS, and the user
 * `certified` must use a client certificate such as `certified.pem` with its key. With `production`, acknowledged writes
 * are on the disk, and the server caches 2 GB. `disk` is a directory for the tablespace `small`. `execute` runs an SQL
 * statement.
 */
export async function startPostgres({ production = false, disk } = {}) {
  const programs = await installed()
  // PostgreSQL does not run as root; its package creates a user for it.
  const owner = process.getuid?.() === 0 ? ids('postgres') : {}
  const folder = mkdtempSync(join(tmpdir(), 'contract-postgres-'))
  const data = join(folder, 'data')
  const certificates = join(folder, 'certificates')
  const as = (program, args) =>
    execFileSync(join(programs, program), args, { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    makeCertificates(certificates)
    const folders = disk === undefined ? [folder] : [folder, disk]
    if (owner.uid !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, ...folders])
    as('initdb', ['-D', data, '-U', 'broker', '--auth=trust', '--no-sync', '--encoding=UTF8'])
    writeFileSync(join(data, 'pg_hba.conf'), rulesOfAccess)
    appendFileSync(join(data, 'postgresql.conf'), settings(certificates, folder, production))
    const port = await freePort()
    const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port)], {
      ...owner,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-10_000)
    })
    process.on('exit', () => child.kill('SIGQUIT'))
    const connection = (database) => ['-h', '127.0.0.1', '-p', String(port), '-U', 'broker', '-d', database]
    while (spawnSync(join(programs, 'pg_isready'), connection('postgres')).status !== 0) {
      if (child.exitCode !== null) throw new StepFailed(`PostgreSQL did not start:\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const roles = ['encrypted', 'certified'].map((name) => `CREATE ROLE ${name} LOGIN SUPERUSER`)
    const tablespace = disk === undefined ? [] : [`CREATE TABLESPACE small LOCATION '${disk}'`]
    for (const sql of [...roles, ...tablespace, 'CREATE DATABASE broker'])
      as('psql', [...connection('postgres'), '-c', sql])
    const execute = (sql) => as('psql', [...connection('broker'), '-c', sql])
    const stop = async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
    return { url: `postgres://broker@127.0.0.1:${port}/broker`, certificates, execute, stop }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const rulesOfAccess = `local     all all                     trust
hostssl   all encrypted all           trust
hostnossl all encrypted all           reject
hostssl   all certified all           cert clientcert=verify-full
hostnossl all certified all           reject
host      all all       127.0.0.1/32  trust
host      all all       ::1/128       trust
`

function settings(certificates, folder, production) {
  const quoted = (...path) => `'${join(...path)}'`
  return `
listen_addresses = 'localhost'
unix_socket_directories = ${quoted(folder)}
max_connections = 400
fsync = ${production ? 'on' : 'off'}
shared_buffers = ${production ? '2GB' : '128MB'}
ssl = on
ssl_cert_file = ${quoted(certificates, 'server.pem')}
ssl_key_file = ${quoted(certificates, 'server.key')}
ssl_ca_file = ${quoted(certificates, 'ca.pem')}
`
}

/** Returns the directory of the newest installed version. Installs it with apt if necessary. */
async function installed() {
  const found = () => {
    const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
    const folders = versions.sort((one, other) => other - one).map((version) => `/usr/lib/postgresql/${version}/bin`)
    return [...folders, ...(process.env.PATH ?? '').split(':')].find((folder) => existsSync(join(folder, 'initdb')))
  }
  const hasAll = () => found() !== undefined && spawnSync('openssl', ['version']).status === 0
  if (!hasAll() && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], { env })
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env })
  }
  if (hasAll()) return found()
  throw new StepFailed(
    `PostgreSQL and openssl are required. Install them, for example with \`apt-get install ${packages.join(' ')}\``,
  )
}

function ids(user) {
  const id = (option) => Number(execFileSync('id', [option, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function makeCertificates(folder) {
  mkdirSync(folder)
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  for (const name of ['ca', 'other']) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
    )
  }
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n')
  for (const [name, subject, issuer] of [
    ['server', 'localhost', 'ca'],
    ['certified', 'certified', 'ca'],
    // A certificate of another user, and one that another authority signed.
    ['somebody', 'somebody', 'ca'],
    ['forged', 'certified', 'other'],
  ]) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`)
    const signed = [
      '-CA',
      `${issuer}.pem`,
      '-CAkey',
      `${issuer}.key`,
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      'names',
    ]
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`)
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
