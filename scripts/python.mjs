// Creates .tmp/python: an environment with the tools of the Python tests and the wheel of the package.

import { root } from './lib/project.mjs'
import { installPythonTools, installWheel, pythonOf } from './lib/python.mjs'

await installPythonTools(root)
await installWheel(root)
console.log(pythonOf(root))
