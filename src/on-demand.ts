/**
 * Node's own modules that few calls need. They are loaded by the first of those calls: to load them with the package would
 * take most of the time of its import.
 */
export const childProcess = (): typeof import('node:child_process') => require('node:child_process')
export const crypto = (): typeof import('node:crypto') => require('node:crypto')
export const http = (): typeof import('node:http') => require('node:http')
export const net = (): typeof import('node:net') => require('node:net')
export const stream = (): typeof import('node:stream') => require('node:stream')
