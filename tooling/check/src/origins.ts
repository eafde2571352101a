import { dirname, join, normalize } from "node:path"
import { type FileImports, parseImports } from "./parseImports.ts"
import type { Workspace } from "./Workspace.ts"

export const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !file.endsWith(".d.ts")

/**
 * Finds the file that declares a name. Packages have no side effects (`sideEffects: false`), so an import of a name from a file that only exports
 * from others needs the file that declares the name, and not its neighbours: an index is no reason to run all tests of those that use it.
 */
export const makeOrigins = (workspace: Workspace) => {
  const parsed = new Map<string, FileImports>()

  const parse = (file: string): FileImports => {
    const known = parsed.get(file)
    if (known !== undefined) return known
    const made = parseImports(workspace.read(file))
    parsed.set(file, made)
    return made
  }

  const resolve = (from: string, specifier: string): string | undefined => {
    const target = specifier.startsWith(".")
      ? normalize(join(dirname(from), specifier))
      : workspace.entries.get(specifier)
    return target !== undefined && workspace.files.has(target) ? target : undefined
  }

  const declares = (file: string, name: string): boolean => {
    const { exports, isBarrel, reExports } = parse(file)
    if (!isBarrel) return exports.has(name) || reExports.some(({ as }) => as === name)
    return origins(file, name, new Set()).some((origin) => origin !== file)
  }

  /** The files that declare a name which a file exports; undefined: all that it exports. */
  const origins = (file: string, name: string | undefined, passed: Set<string>): ReadonlyArray<string> => {
    if (!isSource(file) || passed.has(`${file} ${name}`)) return []
    passed.add(`${file} ${name}`)
    const { isBarrel, reExports } = parse(file)
    if (!isBarrel) return [file]
    const into = (specifier: string, wanted: string | undefined) => {
      const target = resolve(file, specifier)
      return target === undefined ? [] : origins(target, wanted, passed)
    }
    if (name === undefined) return [file, ...reExports.flatMap(({ name, specifier }) => into(specifier, name))]
    const named = reExports.find(({ as }) => as === name)
    if (named !== undefined) return into(named.specifier, named.name)
    const stars = reExports.filter(({ as }) => as === undefined)
    const declaring = stars.filter(({ specifier }) => {
      const target = resolve(file, specifier)
      return target !== undefined && isSource(target) && declares(target, name)
    })
    // A name that none of them is known to declare may come from any.
    return declaring.length > 0
      ? declaring.flatMap(({ specifier }) => into(specifier, name))
      : [file, ...stars.flatMap(({ specifier }) => into(specifier, undefined))]
  }

  return { parse, resolve, origins: (file: string, name: string | undefined) => origins(file, name, new Set()) }
}
