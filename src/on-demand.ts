/**
 * Loads Node modules on first use, because few calls need them, and loading them takes most of the time for importing
 * this package.
 */
export const childProcess = (): typeof import('node:child_process') => require('node:child_process')
export const crypto = (): typeof import('node:crypto') => require('node:crypto')
export const http = (): typeof import('node:http') => require('node:http')
export const net = (): typeof import('node:net') => require('node:net')
export const stream = (): typeof import('node:stream') => require('node:stream')
