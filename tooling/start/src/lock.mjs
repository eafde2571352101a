/**
 * The part of pnpm-lock.yaml that a program needs, as a lock file of npm: exact versions with their hashes. Plain JavaScript that runs on Node 20,
 * because it runs before anything is installed.
 */

/** @typedef {{ version: string, integrity: string, dependencies: ReadonlyMap<string, string> }} Locked */

const unquoted = (/** @type {string} */ text) => text.replace(/^'|'$/g, "")

/** The version without the peers that pnpm appends: `4.1.0(effect@4.1.0)`. */
const versionOf = (/** @type {string} */ text) => unquoted(text).replace(/\(.*$/, "")

/** The lines below a heading of the first level. */
const section = (/** @type {ReadonlyArray<string>} */ lines, /** @type {string} */ name) => {
  const start = lines.indexOf(`${name}:`) + 1
  if (start === 0) throw new Error(`pnpm-lock.yaml has no section ${name}`)
  const end = lines.findIndex((line, index) => index >= start && /^\S/.test(line))
  return lines.slice(start, end === -1 ? undefined : end)
}

/** Splits a section into its entries of the second level. */
const entries = (/** @type {ReadonlyArray<string>} */ lines) => {
  /** @type {Map<string, Array<string>>} */
  const found = new Map()
  /** @type {Array<string>} */
  let current = []
  for (const line of lines) {
    const name = /^ {2}(\S.*?):(?: \{\})?$/.exec(line)?.[1]
    if (name === undefined) {
      current.push(line)
    } else {
      current = []
      found.set(unquoted(name), current)
    }
  }
  return found
}

const dependenciesOf = (/** @type {ReadonlyArray<string>} */ lines) => {
  const start = lines.indexOf("    dependencies:") + 1
  /** @type {Map<string, string>} */
  const found = new Map()
  for (const line of start === 0 ? [] : lines.slice(start)) {
    const match = /^ {6}(\S+): (.+)$/.exec(line)
    if (match === null) break
    found.set(unquoted(match[1] ?? ""), versionOf(match[2] ?? ""))
  }
  return found
}

/** @returns {ReadonlyMap<string, Locked>} packages by `name@version` */
export const parsePnpmLock = (/** @type {string} */ text) => {
  const lines = text.split("\n")
  const snapshots = new Map(
    [...entries(section(lines, "snapshots"))].map(([name, body]) => [versionOf(name), dependenciesOf(body)])
  )
  /** @type {Map<string, Locked>} */
  const packages = new Map()
  for (const [name, body] of entries(section(lines, "packages"))) {
    const integrity = /integrity: ([^,}]+)/.exec(body.join("\n"))?.[1]
    if (integrity === undefined) continue
    const version = name.slice(name.lastIndexOf("@") + 1)
    packages.set(name, { version, integrity, dependencies: snapshots.get(name) ?? new Map() })
  }
  return packages
}

/** @returns {ReadonlyMap<string, string>} the version of each package that members of the workspace name in their manifests */
export const namedVersions = (/** @type {string} */ text) => {
  /** @type {Map<string, string>} */
  const found = new Map()
  for (const body of entries(section(text.split("\n"), "importers")).values())
    for (const match of body.join("\n").matchAll(/^ {6}(\S+):\n {8}specifier: .*\n {8}version: (\S+)/gm)) {
      const [name, version] = [unquoted(match[1] ?? ""), versionOf(match[2] ?? "")]
      if (version.startsWith("link:")) continue
      if ((found.get(name) ?? version) !== version) throw new Error(`two versions of ${name} in manifests`)
      found.set(name, version)
    }
  return found
}

/**
 * The lock file of npm that installs these packages and what they need side by side.
 *
 * @param {ReadonlyMap<string, Locked>} packages
 * @param {ReadonlyMap<string, string>} wanted versions by name
 */
export const npmLock = (packages, wanted) => {
  /** @type {Map<string, Locked>} */
  const chosen = new Map()
  const queue = [...wanted]
  for (const [name, version] of queue) {
    const locked = packages.get(`${name}@${version}`)
    if (locked === undefined) throw new Error(`pnpm-lock.yaml has no ${name}@${version}`)
    const known = chosen.get(name)
    if (known !== undefined && known.version !== version)
      throw new Error(`two versions of ${name}: ${known.version} and ${version}`)
    if (known !== undefined) continue
    chosen.set(name, locked)
    queue.push(...locked.dependencies)
  }
  const installed = [...chosen].map(([name, { dependencies, integrity, version }]) => [
    `node_modules/${name}`,
    { version, integrity, dependencies: Object.fromEntries(dependencies) }
  ])
  return {
    name: "rollcall-start",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "rollcall-start", dependencies: Object.fromEntries(wanted) },
      ...Object.fromEntries(installed)
    }
  }
}
