import fs from 'node:fs'
import path from 'node:path'

export default {
  id: 'install',
  title: 'Install size (production install)',
  loadsProduct: false,
  reps: 1,
  metrics: {
    diskMb: { label: 'node_modules on disk', unit: 'MiB' },
    nativeMb: { label: 'native binaries', unit: 'MiB' },
    packages: { label: 'packages', unit: '' },
    files: { label: 'files', unit: '' },
  },
  headline: 'diskMb',
  cases: [{ name: 'npm install --omit=dev', params: {} }],
  async run(ctx) {
    const out = { diskMb: 0, nativeMb: 0, packages: 0, files: 0 }
    const native = []
    const walk = (dir, inModules) => {
      for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
        const p = path.join(dir, e.name)
        if (e.isSymbolicLink()) continue
        if (e.isDirectory()) {
          out.diskMb += fs.lstatSync(p).blocks * 512
          if (inModules && !e.name.startsWith('.')) {
            if (e.name.startsWith('@')) {
              walk(p, true)
              continue
            }
            if (fs.existsSync(path.join(p, 'package.json'))) out.packages += 1
          }
          walk(p, e.name === 'node_modules')
        } else {
          const st = fs.lstatSync(p)
          out.files += 1
          out.diskMb += st.blocks * 512
          if (/\.(node|so|dylib|dll|wasm)$/.test(e.name)) {
            out.nativeMb += st.size
            native.push({ file: e.name, bytes: st.size })
          }
        }
      }
    }
    walk(path.join(ctx.dir, 'node_modules'), true)
    out.diskMb /= 1048576
    out.nativeMb /= 1048576
    return { metrics: out, notes: { native } }
  },
}
