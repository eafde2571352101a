import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** @typedef {{ name: string, exports?: Record<string, string>, dependencies?: Record<string, string>, devDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Manifest */

const GROUPS = ["packages", "apps"]

/** @returns {ReadonlyMap<string, { folder: string, manifest: Manifest }>} the packages and apps of the workspace by name */
export const readManifests = (/** @type {string} */ root) => {
  /** @type {Map<string, { folder: string, manifest: Manifest }>} */
  const found = new Map()
  for (const group of GROUPS)
    for (const name of readdirSync(join(root, group))) {
      const folder = join(root, group, name)
      if (!existsSync(join(folder, "package.json"))) continue
      const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))
      found.set(manifest.name, { folder, manifest })
    }
  return found
}

const TESTING = /^(?:@types\/|@effect\/vitest$|vitest$|fast-check$)/

/**
 * The names of other packages that an app needs, through all packages of the workspace. Of `devDependencies` only those of the app count, which
 * bundles them.
 */
export const thirdParty = (/** @type {ReturnType<typeof readManifests>} */ manifests, /** @type {string} */ app) => {
  /** @type {Set<string>} */
  const found = new Set()
  const queue = [app]
  const seen = new Set(queue)
  for (const name of queue) {
    const manifest = manifests.get(name)?.manifest
    if (manifest === undefined) continue
    const bundled = name === app ? manifest.devDependencies : {}
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...bundled })) {
      if (TESTING.test(dependency) || seen.has(dependency)) continue
      if (manifests.has(dependency)) {
        seen.add(dependency)
        queue.push(dependency)
      } else found.add(dependency)
    }
  }
  return found
}
