import install from './s01-install.mjs'
import importTime from './s02-import.mjs'
import cycle from './s03-cycle.mjs'
import throughput from './s05-throughput.mjs'
import body from './s06-body.mjs'
import verify from './s07-verify.mjs'
import mismatch from './s08-mismatch.mjs'
import merge from './s10-merge.mjs'
import parallel from './s11-parallel.mjs'

export const scenarios = [install, importTime, cycle, throughput, body, verify, mismatch, merge, parallel].flat()
