import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"

/** Returns the folder of the installed package that a bundled file belongs to; undefined for a file of this workspace. */
const packageFolder = (/** @type {string} */ file) => {
  const at = file.lastIndexOf("/node_modules/")
  if (at === -1) return undefined
  const [scope = "", name = ""] = file.slice(at + "/node_modules/".length).split("/")
  return join(file.slice(0, at), "node_modules", scope.startsWith("@") ? join(scope, name) : scope)
}

const licenseFile = (/** @type {string} */ folder) =>
  readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(entry))

const sectionOf = (/** @type {string} */ folder) => {
  const { license = "UNLICENSED", name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = licenseFile(folder)
  const text =
    file === undefined ? "(its package has no license file)" : readFileSync(join(folder, file), "utf8").trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}

/**
 * Returns the licenses of all packages that a bundle has, one after another with their texts.
 *
 * @param {string} root the folder that paths of bundled files are relative to
 * @param {ReadonlyArray<string>} files the bundled files
 */
export const licensesOf = (root, files) => {
  /** @type {Set<string>} */
  const folders = new Set()
  for (const file of files) {
    const path = resolve(root, file)
    const folder = existsSync(path) ? packageFolder(realpathSync(path)) : undefined
    if (folder !== undefined) folders.add(folder)
  }
  const sections = [...folders].map(sectionOf).sort()
  return `This program contains the following packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`
}
