import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Layer from "effect/Layer"
import { examplesOf } from "./packages.ts"

/** A layer that a package exports: `Machines.layer`, `layerSqlite`. */
export interface ExportedLayer {
  readonly package: string
  readonly name: string
}

/** A source or an example that can use layers. */
export interface Text {
  readonly file: string
  readonly text: string
}

const looksLikeLayer = (name: string, value: unknown): boolean =>
  Layer.isLayer(value) || (typeof value === "function" && /^layer(?![a-z])|Layer$/.test(name))

/** Returns the names of a module's exported layers: values, functions that return one, and static members of classes. */
export const layerNames = (exported: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(exported).flatMap(([name, value]) => {
    if (looksLikeLayer(name, value)) return [name]
    if (typeof value !== "function") return []
    return Object.getOwnPropertyNames(value)
      .filter((member) => !["arguments", "caller", "prototype"].includes(member))
      .filter((member) => looksLikeLayer(member, (value as unknown as Record<string, unknown>)[member]))
      .map((member) => `${name}.${member}`)
  })

interface Manifest {
  readonly exports?: Readonly<Record<string, string>>
}

/** Returns the layers of a package from all its entry points except those for tests. */
export const exportedLayers = async (root: string, name: string): Promise<ReadonlyArray<ExportedLayer>> => {
  const folder = join(root, "packages", name)
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  const entries = Object.entries(exports).filter(([as, file]) => file.endsWith(".ts") && !as.startsWith("./testing"))
  const found = new Set<string>()
  for (const [, file] of entries) {
    for (const layer of layerNames(await import(pathToFileURL(join(folder, file)).href))) found.add(layer)
  }
  return [...found].map((layer) => ({ package: name, name: layer }))
}

const sourcesBelow = (folder: string): ReadonlyArray<Text> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !file.includes("testing/"))
        .map((file) => ({ file: join(folder, file), text: readFileSync(join(folder, file), "utf8") }))
    : []

/** Returns the examples of a package's README as one text. */
export const readmeExamples = (root: string, name: string): string =>
  examplesOf(readFileSync(join(root, "packages", name, "README.md"), "utf8")).join("\n")

/** Returns all code that can use layers: the sources of packages and apps, the examples, and the examples of READMEs. */
export const usersOfLayers = (root: string): ReadonlyArray<Text> => [
  ...["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => sourcesBelow(join(root, group, name, "src")))
  ),
  ...sourcesBelow(join(root, "examples")),
  ...readdirSync(join(root, "packages")).map((name) => ({
    file: join(root, "packages", name, "README.md"),
    text: readmeExamples(root, name)
  }))
]

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** Returns whether a text uses a layer. Its declaration and its re-exports do not count. */
export const usesLayer = (text: string, { name }: ExportedLayer): boolean => {
  const [owner = "", member] = name.split(".")
  const code = withoutComments(text)
  if (member !== undefined) return new RegExp(`\\b${owner}\\.${member}\\b`).test(code)
  const used = code
    .replace(/^(?:import|export)\b[^"';]*\bfrom "[^"]*"$/gm, "")
    .replace(/^\s*(?:export const|static readonly) \w+/gm, "")
  return new RegExp(`\\b${owner}\\b`).test(used)
}

/** Returns the unused layers. */
export const unusedLayers = (
  layers: ReadonlyArray<ExportedLayer>,
  users: ReadonlyArray<Text>
): ReadonlyArray<ExportedLayer> => layers.filter((layer) => !users.some(({ text }) => usesLayer(text, layer)))
