import { makeNamedPaths, packageOf } from "./namedPaths.ts"
import { isSource, makeOrigins } from "./origins.ts"
import { ENTRIES, type Workspace } from "./Workspace.ts"

/** What a file needs, itself excluded: other sources, and files that it reads by their path. */
interface Needs {
  /** Of its package: it names the entries. */
  readonly manifest: string | undefined
  /** TypeScript files whose own needs count too. */
  readonly sources: ReadonlySet<string>
  /** Files and folders. */
  readonly paths: ReadonlySet<string>
}

/** All that a test file is made of. */
export interface Inputs {
  /** Each file with the number of imports between it and the test file, which has 0. */
  readonly files: ReadonlyMap<string, number>
  /** Folders that it reads: every file below one of them is an input, also one that is added or deleted later. */
  readonly folders: ReadonlySet<string>
}

/** What all tests need: the versions of what is installed, and how tests are run. */
export const SHARED: ReadonlyArray<string> = [
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "vitest.config.ts",
  "vitest.setup.ts"
]

const isTest = (file: string): boolean => file.endsWith(".test.ts")

/**
 * Finds what a source needs: the files that declare what it imports.
 */
export const makeInputs = (workspace: Workspace) => {
  const needs = new Map<string, Needs>()
  /** Sources below a folder. */
  const below = new Map<string, ReadonlyArray<string>>()

  const { origins, parse, resolve } = makeOrigins(workspace)
  const pathsNamed = makeNamedPaths(workspace)

  const sourcesAt = (path: string): ReadonlyArray<string> => {
    if (workspace.files.has(path)) return isSource(path) && !isTest(path) ? [path] : []
    const known = below.get(path)
    if (known !== undefined) return known
    const made = [...workspace.files].filter((file) => file.startsWith(`${path}/`) && isSource(file) && !isTest(file))
    below.set(path, made)
    return made
  }

  const needsOf = (file: string): Needs => {
    const known = needs.get(file)
    if (known !== undefined) return known
    const { imports, reExports } = parse(file)
    const sources = new Set<string>()
    const taken = [
      ...imports,
      ...reExports.map(({ name, specifier }) => ({ specifier, names: name === undefined ? undefined : [name] }))
    ]
    for (const { names, specifier } of taken) {
      const target = resolve(file, specifier)
      if (target === undefined) continue
      if (!isSource(target)) sources.add(target)
      for (const name of names ?? [undefined]) for (const origin of origins(target, name)) sources.add(origin)
    }
    const paths = pathsNamed(file, parse(file).paths)
    for (const path of paths) for (const source of sourcesAt(path)) sources.add(source)
    const manifest = `${packageOf(file)}/package.json`
    const made = { manifest: workspace.files.has(manifest) ? `${manifest}${ENTRIES}` : undefined, sources, paths }
    needs.set(file, made)
    return made
  }

  /** All inputs of a test file. */
  return (test: string): Inputs => {
    const files = new Map(SHARED.filter((file) => workspace.files.has(file)).map((file) => [file, 1]))
    const folders = new Set<string>()
    const add = (file: string, distance: number): boolean => {
      if (files.has(file)) return false
      files.set(file, distance)
      return true
    }
    const queue = [test]
    add(test, 0)
    for (const file of queue) {
      const { manifest, paths, sources } = needsOf(file)
      const distance = (files.get(file) ?? 0) + 1
      if (manifest !== undefined) add(manifest, distance)
      for (const source of sources) if (add(source, distance) && isSource(source)) queue.push(source)
      for (const path of paths) {
        if (workspace.files.has(path)) add(path, distance)
        else folders.add(path)
      }
    }
    return { files, folders }
  }
}
