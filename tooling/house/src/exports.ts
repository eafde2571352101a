import { dirname, join } from "node:path"

/** The exports, the imports and the declarations of a TypeScript file, with its types. */
export interface Module {
  /** Names that it exports from another file, by the name under which it exports them. */
  readonly reExports: ReadonlyMap<string, Source>
  /** Files from which it exports all names (`export *`). */
  readonly stars: ReadonlyArray<string>
  readonly imports: ReadonlyMap<string, Source>
  /** The text of each declaration at the top level. */
  readonly declarations: ReadonlyMap<string, string>
  readonly exported: ReadonlySet<string>
}

/** A name of another file, or of a package. */
export interface Source {
  readonly from: string
  readonly name: string
}

/** A declaration: the file that has it, and its name there. */
export interface Declaration {
  readonly file: string
  readonly name: string
}

const LIST = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s*"([^"]+)")?/gm
const NAMESPACE = /^export\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s*"([^"]+)"/gm
const STAR = /^export\s+(?:type\s+)?\*\s+from\s*"([^"]+)"/gm
const DECLARATION =
  /^(export\s+)?(?:default\s+)?(?:declare\s+|abstract\s+|async\s+)*(?:(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)|const\s+\{([^}]*)\})/gm

const bindings = (list: string): ReadonlyArray<readonly [name: string, as: string]> =>
  list
    .replaceAll(/\/\/.*$/gm, "")
    .split(",")
    .map((item) => item.trim().replace(/^type\s+/, ""))
    .filter((item) => item !== "")
    .map((item) => {
      const [name = "", as = name] = item.split(/\s+as\s+|\s*:\s*/)
      return [name, as]
    })

/** Parses the text of a formatted file, in which a declaration starts at the start of a line and ends where the next one starts. */
export const parseModule = (text: string): Module => {
  const reExports = new Map<string, Source>()
  const imports = new Map<string, Source>()
  const exported = new Set<string>()
  for (const [, keyword, list = "", from] of text.matchAll(LIST)) {
    for (const [name, as] of bindings(list)) {
      if (from === undefined) exported.add(as)
      else (keyword === "import" ? imports : reExports).set(as, { from, name })
    }
  }
  for (const [, as = "", from = ""] of text.matchAll(NAMESPACE)) reExports.set(as, { from, name: "*" })
  const found = [...text.matchAll(DECLARATION)]
  const declarations = new Map<string, string>()
  for (const [index, match] of found.entries()) {
    const [, isExported, single, list = ""] = match
    const body = text.slice(match.index, found[index + 1]?.index)
    for (const name of single === undefined ? bindings(list).map(([, as]) => as) : [single]) {
      declarations.set(name, `${declarations.get(name) ?? ""}${body}`)
      if (isExported !== undefined) exported.add(name)
    }
  }
  return { reExports, stars: [...text.matchAll(STAR)].map((match) => match[1] ?? ""), imports, declarations, exported }
}

/** Modules by file. */
export type ReadModule = (file: string) => Module

const isOwn = (specifier: string): boolean => specifier.startsWith(".")

/** Returns all names that a file exports. */
export const exportedNames = (read: ReadModule, file: string): ReadonlySet<string> => {
  const { exported, reExports, stars } = read(file)
  const below = stars.filter(isOwn).flatMap((from) => [...exportedNames(read, join(dirname(file), from))])
  return new Set([...exported, ...reExports.keys(), ...below])
}

/** Returns where a name in a file is declared, or undefined if that is outside the package. */
export const declarationOf = (read: ReadModule, file: string, name: string): Declaration | undefined => {
  const { declarations, imports, reExports, stars } = read(file)
  if (declarations.has(name)) return { file, name }
  const source = reExports.get(name) ?? imports.get(name)
  if (source !== undefined)
    return isOwn(source.from) ? declarationOf(read, join(dirname(file), source.from), source.name) : undefined
  for (const from of stars.filter(isOwn)) {
    const next = join(dirname(file), from)
    if (exportedNames(read, next).has(name)) return declarationOf(read, next, name)
  }
  return undefined
}
