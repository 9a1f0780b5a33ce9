// Makes .tmp/python: an environment with the tools of the Python package's tests and the package itself, as its wheel.

import { root } from './lib/project.mjs'
import { installPythonTools, installWheel, pythonOf } from './lib/python.mjs'

await installPythonTools(root)
await installWheel(root)
console.log(pythonOf(root))
