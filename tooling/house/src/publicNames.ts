#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { type Declaration, declarationOf, exportedNames, type Module, parseModule, type ReadModule } from "./exports.ts"

/**
 * The public names of the packages, and who uses each. A name has a user when another package, an app, a tool or an example imports
 * it, or a page speaks of it; a type also when it appears in a declaration whose name has a user. The entries `./rules` and
 * `./testing`, and the kinds of the API, are for users outside of this repository and need none inside.
 */

/** What uses a public name: code of another member, a page, or only the declaration of another name that has a user. */
export type User = "package" | "page" | "signature"

/** A name that a package exports. */
export interface PublicName {
  /** The entry point as in an import: `@rollcall/api/wire`. */
  readonly entry: string
  readonly name: string
  readonly user: User | undefined
}

/** The files of a repository. */
export interface Repository {
  readonly files: ReadonlyArray<string>
  readonly read: (file: string) => string
}

interface Entry {
  readonly entry: string
  readonly folder: string
  readonly file: string
  readonly names: ReadonlySet<string>
}

const MANIFEST = /^packages\/[^/]+\/package\.json$/
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(@rollcall\/[^"]+)"/g
const NAMESPACE = /\bimport\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s*"(@rollcall\/[^"]+)"/g
const DYNAMIC = /\{([^{}]*)\}\s*=\s[^{}]{0,80}?\bimport\("(@rollcall\/[^"]+)"\)/g
const LATER = /\bimport\("(@rollcall\/[^"]+)"\)\.then\(\s*\(\{([^{}]*)\}\)/g
const CODE = /```[\s\S]*?```|`[^`\n]+`/g
const WORD = /[A-Za-z_$][\w$]*/g
/** The files of the kinds of the API. */
const KINDS = /^packages\/api\/src\/(?:objects\/|Kinds\.ts$)/
/** A type, or a schema, which is a constant that is named like one. */
const TYPE = /^(?:export\s+)?(?:declare\s+|abstract\s+)*(?:(?:interface|type|class|enum)\b|const\s+[A-Z][a-z])/

const needsNoUser = ({ entry }: Pick<PublicName, "entry">): boolean => /\/(?:rules|testing)(?:\/|$)/.test(entry)

const entriesOf = ({ files, read }: Repository, module: ReadModule): ReadonlyArray<Entry> =>
  files
    .filter((file) => MANIFEST.test(file))
    .flatMap((manifest) => {
      const folder = manifest.slice(0, -"/package.json".length)
      const { exports = {}, name } = JSON.parse(read(manifest)) as { name: string; exports?: Record<string, string> }
      return Object.entries(exports)
        .filter(([, target]) => target.endsWith(".ts"))
        .map(([as, target]) => {
          const file = join(folder, target)
          return { entry: join(name, as), folder, file, names: exportedNames(module, file) }
        })
    })

const importedNames = (list: string): ReadonlyArray<string> =>
  list
    .replaceAll(/\/\/.*$/gm, "")
    .split(",")
    .map(
      (item) =>
        item
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+|\s*:/)[0] ?? ""
    )

/** Returns the names that a text imports from the packages: `@rollcall/api#Pod`. */
export const importsOfText = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(IMPORT), ...text.matchAll(DYNAMIC)].flatMap(([, list = "", entry]) =>
    importedNames(list).map((name) => `${entry}#${name}`)
  ),
  ...[...text.matchAll(LATER)].flatMap(([, entry, list = ""]) => importedNames(list).map((name) => `${entry}#${name}`)),
  ...[...text.matchAll(NAMESPACE)].flatMap(([, as = "", entry]) =>
    [...text.matchAll(new RegExp(`\\b${as}\\.(\\w+)`, "g"))].map(([, name]) => `${entry}#${name}`)
  )
]

/** Returns the names that others than their package import: pages if `ofPages` is true, else code. */
const importedByOthers = (
  { files, read }: Repository,
  entries: ReadonlyArray<Entry>,
  ofPages: boolean
): ReadonlySet<string> => {
  const folderOf = new Map(entries.map(({ entry, folder }) => [entry, `${folder}/`]))
  const found = new Set<string>()
  for (const file of files.filter((name) => (ofPages ? /\.md$/ : /\.[mc]?[jt]sx?$/).test(name))) {
    for (const key of importsOfText(read(file))) {
      if (ofPages || !file.startsWith(folderOf.get(key.slice(0, key.indexOf("#"))) ?? "//")) found.add(key)
    }
  }
  return found
}

/** Returns the words in the code of a package's README and of the pages of docs/. */
const wordsOfPages = ({ files, read }: Repository, folder: string): ReadonlySet<string> =>
  new Set(
    files
      .filter((file) => file === `${folder}/README.md` || /^docs\/(?!decisions\/).+\.md$/.test(file))
      .flatMap((file) => (read(file).match(CODE) ?? []).flatMap((code) => code.match(WORD) ?? []))
  )

/** Returns the types in the declarations of `starts`, in the types and private helpers that those use, and so on. */
const typesBelow = (module: ReadModule, starts: ReadonlyArray<Declaration>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const queue = [...starts]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { declarations, imports } = module(next.file)
    for (const word of new Set(declarations.get(next.name)?.match(WORD) ?? [])) {
      if (!declarations.has(word) && !imports.has(word)) continue
      const found = declarationOf(module, next.file, word)
      const key = `${found?.file}#${found?.name}`
      if (found === undefined || seen.has(key)) continue
      const isPrivate = found.file === next.file && !module(found.file).exported.has(found.name)
      if (!isPrivate && !TYPE.test(module(found.file).declarations.get(found.name) ?? "")) continue
      seen.add(key)
      queue.push(found)
    }
  }
  return seen
}

/** Returns all public names of all packages, each with its user. */
export const publicNames = (repository: Repository): ReadonlyArray<PublicName> => {
  const modules = new Map<string, Module>()
  const module: ReadModule = (file) => {
    const known = modules.get(file) ?? parseModule(repository.read(file))
    modules.set(file, known)
    return known
  }
  const entries = entriesOf(repository, module)
  const imported = importedByOthers(repository, entries, false)
  const shown = importedByOthers(repository, entries, true)
  const words = new Map(
    [...new Set(entries.map(({ folder }) => folder))].map((folder) => [folder, wordsOfPages(repository, folder)])
  )
  const found = entries.flatMap(({ entry, file, folder, names }) =>
    [...names].map((name) => {
      const key = `${entry}#${name}`
      const onPage = shown.has(key) || words.get(folder)?.has(name) === true
      const user: User | undefined = imported.has(key) ? "package" : onPage ? "page" : undefined
      return { entry, name, user, declaration: declarationOf(module, file, name) }
    })
  )
  const types = typesBelow(
    module,
    found.flatMap(({ declaration, user, entry }) =>
      declaration !== undefined && (user !== undefined || needsNoUser({ entry })) ? [declaration] : []
    )
  )
  return found.map(({ declaration, entry, name, user }) => {
    const inSignature = declaration !== undefined && types.has(`${declaration.file}#${declaration.name}`)
    const isKind = declaration !== undefined && KINDS.test(declaration.file)
    return { entry, name, user: user ?? (inSignature || isKind ? "signature" : undefined) }
  })
}

/** Returns one line for each public name without a user. */
export const withoutUser = (names: ReadonlyArray<PublicName>): ReadonlyArray<string> =>
  names
    .filter((name) => name.user === undefined && !needsNoUser(name))
    .map(({ entry, name }) => `${entry}: ${name} is exported, and has no user outside of its package`)

/** Returns one line for each entry point that exports all names of a file (`export *`). */
export const unlistedExports = ({ files, read }: Repository): ReadonlyArray<string> =>
  entriesOf({ files, read }, (file) => parseModule(read(file)))
    .filter(({ file }) => parseModule(read(file)).stars.length > 0)
    .map(({ file }) => `${file}: list the names instead of export *`)

/** Reads the files below `root` that git knows or does not ignore. */
export const readRepository = (root: string): Repository => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26
  })
  const texts = new Map<string, string>()
  return {
    files: listed
      .split("\n")
      .filter((file) => /\.(?:[mc]?[jt]sx?|md|json)$/.test(file) && existsSync(join(root, file))),
    read: (file) => {
      const text = texts.get(file) ?? readFileSync(join(root, file), "utf8")
      texts.set(file, text)
      return text
    }
  }
}

const table = (names: ReadonlyArray<PublicName>): string => {
  const rows = [...new Set(names.map(({ entry }) => entry))].map((entry) => {
    const own = names.filter((name) => name.entry === entry)
    const count = (user: User | undefined) => own.filter((name) => name.user === user).length
    return [entry, own.length, count("package"), count("page"), count("signature"), count(undefined)]
  })
  const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
  const all = [
    ["entry", "names", "imported", "on pages", "in types", "without user"],
    ...rows,
    ["all", ...[1, 2, 3, 4, 5].map(sum)]
  ]
  return all
    .map(
      ([entry, ...counts]) => `${String(entry).padEnd(34)}${counts.map((count) => String(count).padStart(14)).join("")}`
    )
    .join("\n")
}

/** Prints the table of all packages or, with the name of a package, each of its names and its user. */
const main = (only: string | undefined): void => {
  const root = resolve(fileURLToPath(new URL("../../..", import.meta.url)))
  const names = publicNames(readRepository(root))
  const own = names.filter(({ entry }) => entry === only || entry.startsWith(`${only}/`))
  const lines = own.map(({ entry, name, user }) => `${entry}\t${name}\t${user ?? "-"}`)
  console.log(only === undefined ? table(names) : lines.join("\n"))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv[2])
