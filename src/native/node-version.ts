/**
 * The oldest major version of Node that this package supports. `engines` in package.json contains the same version.
 */
export const OLDEST_NODE = 20

/** Returns whether this package supports a version of Node, such as `20.17.0`. */
export function isSupportedNode(version = process.versions.node): boolean {
  return Number.parseInt(version, 10) >= OLDEST_NODE
}
