// Prints the list of third-party crates in the native files (CycloneDX).
import { sbomText } from './lib/sbom.mjs'

process.stdout.write(sbomText())
