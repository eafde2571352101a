import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { declarationOf, exportedNames, parseModule, type ReadModule } from "./exports.ts"

interface Manifest {
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, string | { readonly types?: string }>> }
}

/** A longer declaration, as of a table of all fields, is given by its first line and a hash. */
const LONGEST = 1500

/** A declaration file without what users cannot see: comments, private members. */
const visible = (text: string): string =>
  text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, "")
    .replaceAll(/^export \{\};$/gm, "")
    .replaceAll(/^\s+private\b.*$/gm, "")
    .replaceAll(/^\s*\n/gm, "")

const makeReader = (): ReadModule => {
  const modules = new Map<string, ReturnType<typeof parseModule>>()
  return (file) => {
    // Declarations name the sources that they are made of.
    const path = file.replace(/(?<!\.d)\.ts$|\.js$/, ".d.ts")
    const known = modules.get(path) ?? parseModule(visible(readFileSync(path, "utf8")))
    modules.set(path, known)
    return known
  }
}

const shortened = (declaration: string): string => {
  if (declaration.length <= LONGEST) return declaration
  const [first = ""] = declaration.split("\n")
  return `${first.slice(0, 200)} … sha256:${createHash("sha256").update(declaration).digest("hex")}`
}

/**
 * The API of a built package as a text: every entry that its manifest publishes with the declarations of the names that it exports. Reads the
 * declaration files in `dist`.
 */
export const apiReport = (folder: string): string => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  const read = makeReader()
  const sections = Object.entries(manifest.publishConfig?.exports ?? {}).flatMap(([entry, target]) => {
    if (typeof target === "string" || target.types === undefined) return []
    const file = join(folder, target.types)
    const declarations = [...exportedNames(read, file)].sort().map((name) => {
      const found = declarationOf(read, file, name)
      const text = found === undefined ? undefined : read(found.file).declarations.get(found.name)?.trim()
      return text === undefined ? `export { ${name} } // of another package` : shortened(text)
    })
    return [[`# ${entry}`, ...declarations].join("\n\n")]
  })
  return `${sections.join("\n\n")}\n`
}

/** The declarations of a report by entry and text. */
const declarationsOf = (report: string): ReadonlySet<string> => {
  let entry = ""
  const found = new Set<string>()
  for (const block of report.trim().split("\n\n")) {
    if (block.startsWith("# ")) entry = block.slice(2)
    else found.add(`${entry}: ${block}`)
  }
  return found
}

/** How an API differs from its report: the declarations that are gone or new, by their first lines. A changed one is both. */
export const apiChanges = (before: string, after: string): ReadonlyArray<string> => {
  const [old, current] = [declarationsOf(before), declarationsOf(after)]
  const firstLine = (block: string) => block.split("\n")[0]
  return [
    ...[...old].filter((block) => !current.has(block)).map((block) => `- ${firstLine(block)}`),
    ...[...current].filter((block) => !old.has(block)).map((block) => `+ ${firstLine(block)}`)
  ]
}
