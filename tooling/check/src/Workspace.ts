import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** What a manifest says to those who import the package. Its scripts and its description are no reason to run a test. */
export const ENTRIES = "#entries"

const READ_BY_IMPORTS = [
  "name",
  "type",
  "exports",
  "imports",
  "bin",
  "dependencies",
  "peerDependencies",
  "devDependencies"
]

export const entriesOf = (manifest: string): string => {
  const fields = JSON.parse(manifest) as Manifest
  return JSON.stringify(READ_BY_IMPORTS.map((field) => fields[field] ?? null))
}

const MANIFEST = /^(?:packages|apps|tooling)\/[^/]+\/package\.json$/

/** The files of the working tree, as paths from its root; what git ignores is not among them. */
export interface Workspace {
  readonly files: ReadonlySet<string>
  /** Folders that hold one of the files, at any depth. */
  readonly folders: ReadonlySet<string>
  /** Entries of all packages by what an import calls them: `@rollcall/api/wire`. */
  readonly entries: ReadonlyMap<string, string>
  readonly read: (file: string) => string
}

const foldersOf = (files: Iterable<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const file of files) {
    for (let at = dirname(file); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at)
  }
  return folders
}

/** A workspace of these files: of a working tree, or of a test. */
export const makeWorkspace = (names: Iterable<string>, read: (file: string) => string): Workspace => {
  const files = new Set(names)
  const entries = new Map<string, string>()
  for (const file of files) {
    if (!MANIFEST.test(file)) continue
    const { exports = {}, name } = JSON.parse(read(file)) as Manifest
    for (const [entry, target] of Object.entries(exports)) entries.set(join(name, entry), join(dirname(file), target))
  }
  return { files, folders: foldersOf(files), entries, read }
}

export const git = (root: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "ignore"]
  })

const lines = (text: string): ReadonlyArray<string> => text.split("\0").filter((line) => line !== "")

export const readWorkspace = (root: string): Workspace => {
  const listed = lines(git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
  return makeWorkspace(
    listed.filter((file) => existsSync(join(root, file))),
    (file) => readFileSync(join(root, file), "utf8")
  )
}

const entriesAt = (root: string, commit: string, manifest: string): string | undefined => {
  try {
    return entriesOf(git(root, "show", `${commit}:${manifest}`))
  } catch {
    // It was not there.
    return undefined
  }
}

const changedSince = (root: string, base: string): ReadonlySet<string> => {
  const changed = [
    ...lines(git(root, "diff", "--name-only", "--no-renames", "-z", base)),
    ...lines(git(root, "ls-files", "-z", "--others", "--exclude-standard"))
  ]
  const entries = changed.filter((file) => {
    if (!MANIFEST.test(file) || !existsSync(join(root, file))) return false
    return entriesAt(root, base, file) !== entriesOf(readFileSync(join(root, file), "utf8"))
  })
  return new Set([...changed, ...entries.map((file) => `${file}${ENTRIES}`)])
}

/**
 * Files that differ from where this branch left `main`: in commits, in the index, in the working tree, deleted or new. On `main` itself: from its
 * last commit. Undefined when there is no such commit, as in a checkout of one commit alone.
 */
export const changedFiles = (root: string): ReadonlySet<string> | undefined => {
  for (const main of ["main", "origin/main"]) {
    try {
      return changedSince(root, git(root, "merge-base", "HEAD", main).trim())
    } catch {
      // No such branch here: the next one.
    }
  }
  return undefined
}
