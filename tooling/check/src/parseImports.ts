/** Names that a file takes from another; undefined: all of them. */
export interface Import {
  readonly specifier: string
  /** As the other file exports them. */
  readonly names: ReadonlyArray<string> | undefined
}

/** A name that a file exports from another one, under the name that the other one gives it. */
export interface ReExport {
  readonly specifier: string
  /** Undefined: all names (`export *`). */
  readonly as: string | undefined
  readonly name: string | undefined
}

/** What the text of a TypeScript file says about other files. */
export interface FileImports {
  readonly imports: ReadonlyArray<Import>
  readonly reExports: ReadonlyArray<ReExport>
  /** Names that it declares and exports itself. */
  readonly exports: ReadonlySet<string>
  /** It holds nothing but exports from other files. */
  readonly isBarrel: boolean
  /** String literals, and constant parts of templates, that could be a path; not those of its imports. */
  readonly paths: ReadonlyArray<string>
}

const FROM = /^[ \t]*(import|export)\s+(type\s+)?([\w$*{][^"';]*?)\s*from\s*"([^"\n]+)"[^\n]*$/gm
const BARE = /^[ \t]*import\s*"([^"\n]+)"[^\n]*$/gm
const DYNAMIC = /\bimport\(\s*"([^"\n]+)"\s*\)/g
const DECLARED =
  /^export\s+(?:default\s+)?(?:declare\s+|abstract\s+|async\s+)*(?:const|let|var|function\*?|class|enum|interface|type|namespace)\s+([\w$]+)/gm
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}[ \t]*;?[ \t]*$/gm
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm
/** What ends a string, or a constant part of a template. Every literal lies between two of these, whatever the quotes of a regular expression do. */
const QUOTE = /["'`\n]|\$\{|\}/
/** A word of a command or a sentence is taken for a path where it looks like nothing else. */
const CLEARLY_PATH = /\/|\.\w+$/
const PATH_LIKE = /^[\w@.][\w@./-]*$|^\/[\w./-]+$/

interface Binding {
  readonly name: string
  readonly as: string
}

/** `a, type B, c as d`: the values; types are gone when the code runs. */
const bindings = (list: string): ReadonlyArray<Binding> =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "" && !item.startsWith("type "))
    .map((item) => {
      const [name = "", as = name] = item.split(/\s+as\s+/)
      return { name, as }
    })

const importOf = (clause: string, specifier: string): Import => {
  if (clause.includes("*")) return { specifier, names: undefined }
  const [, list = ""] = /\{([\s\S]*)\}/.exec(clause) ?? []
  const hasDefault = !clause.trim().startsWith("{")
  return { specifier, names: [...(hasDefault ? ["default"] : []), ...bindings(list).map(({ name }) => name)] }
}

const reExportsOf = (clause: string, specifier: string): ReadonlyArray<ReExport> => {
  const [, namespace] = /^\*\s*as\s+([\w$]+)/.exec(clause) ?? []
  if (namespace !== undefined) return [{ specifier, as: namespace, name: undefined }]
  if (clause.startsWith("*")) return [{ specifier, as: undefined, name: undefined }]
  return bindings(clause.replace(/[{}]/g, "")).map(({ as, name }) => ({ specifier, as, name }))
}

const pathsOf = (code: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const part of code.split(QUOTE)) {
    if (PATH_LIKE.test(part)) found.add(part)
    else for (const word of part.split(/[\s=,]+/)) if (CLEARLY_PATH.test(word) && PATH_LIKE.test(word)) found.add(word)
  }
  return [...found]
}

/** Reads the imports of a TypeScript file as the formatter writes them: each statement begins a line. */
export const parseImports = (text: string): FileImports => {
  const imports: Array<Import> = []
  const reExports: Array<ReExport> = []
  const code = text.replace(COMMENT, "")
  const rest = code
    .replace(FROM, (_, keyword: string, type: string | undefined, clause: string, specifier: string) => {
      if (type !== undefined) return ""
      if (keyword === "import") imports.push(importOf(clause, specifier))
      else reExports.push(...reExportsOf(clause, specifier))
      return ""
    })
    .replace(BARE, (_, specifier: string) => {
      imports.push({ specifier, names: undefined })
      return ""
    })
  for (const [, specifier = ""] of rest.matchAll(DYNAMIC)) imports.push({ specifier, names: undefined })
  const exports = new Set(Array.from(rest.matchAll(DECLARED), ([, name = ""]) => name))
  for (const [, list = ""] of rest.matchAll(LISTED)) for (const { as } of bindings(list)) exports.add(as)
  return {
    imports,
    reExports,
    exports,
    isBarrel: imports.length === 0 && reExports.length > 0 && rest.trim() === "",
    paths: pathsOf(rest)
  }
}
