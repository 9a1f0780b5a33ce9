// `npm run docs`: installs the dependencies of the documentation site and builds it into docs/.vitepress/dist. With `--dev` it serves
// the pages and reloads them when they change.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/root.mjs'
import { run } from './lib/run.mjs'

const docs = join(root, 'docs')
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
if (!existsSync(join(docs, 'node_modules', 'vitepress'))) await run(npm, ['ci'], { cwd: docs })
await run(process.execPath, ['build.mjs', ...process.argv.slice(2)], { cwd: docs })
