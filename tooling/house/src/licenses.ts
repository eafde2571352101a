import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>
}

interface Bundled {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string | undefined
}

/** Returns the folder of the installed package that a bundled file belongs to; undefined for a file of this workspace. */
const packageFolder = (file: string): string | undefined => {
  const at = file.lastIndexOf("/node_modules/")
  if (at === -1) return undefined
  const [scope = "", name = ""] = file.slice(at + "/node_modules/".length).split("/")
  return join(file.slice(0, at), "node_modules", scope.startsWith("@") ? join(scope, name) : scope)
}

const readBundled = (folder: string): Bundled => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(entry))
  return {
    name,
    version,
    license: license ?? "UNLICENSED",
    text: file === undefined ? undefined : readFileSync(join(folder, file), "utf8").trim()
  }
}

/**
 * Writes the licenses of all packages that esbuild has put into a bundle, by its metafile, one after another with their texts. Paths in the
 * metafile are relative to the working directory.
 */
export const writeLicenses = (metafile: string, output: string): void => {
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile
  const folders = new Set<string>()
  for (const input of Object.keys(inputs)) {
    const path = resolve(input)
    const folder = existsSync(path) ? packageFolder(realpathSync(path)) : undefined
    if (folder !== undefined) folders.add(folder)
  }
  const sections = [...folders]
    .map(readBundled)
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(
      ({ license, name, text = "(its package has no license file)", version }) =>
        `${name} ${version} (${license})\n\n${text}\n`
    )
  writeFileSync(output, `This program contains the following packages.\n\n${sections.join(`\n${"-".repeat(80)}\n\n`)}`)
}
