import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface TsConfig {
  readonly extends: string
  readonly compilerOptions?: Readonly<Record<string, unknown>>
  readonly include: ReadonlyArray<string>
}

/** One compilation: the options that its packages share beyond tsconfig.base.json, and folders from the root of the workspace. */
export interface Program {
  readonly options: Readonly<Record<string, unknown>>
  readonly include: ReadonlyArray<string>
}

const read = (path: string): TsConfig => JSON.parse(readFileSync(path, "utf8")) as TsConfig

const optionsOf = (root: string, path: string): Readonly<Record<string, unknown>> => {
  const config = read(join(root, path))
  const base = join(dirname(path), config.extends)
  return { ...(base === "tsconfig.base.json" ? {} : optionsOf(root, base)), ...config.compilerOptions }
}

/**
 * The packages' own configurations (`tsconfig.json` for sources, `tsconfig.test.json`, …) as few programs: those with the same options are one.
 * TypeScript then reads each package once instead of once for each package that imports it.
 */
export const readPrograms = (
  root: string,
  pattern = "{packages,apps,tooling}/*/tsconfig*.json"
): ReadonlyArray<Program> => {
  const programs = new Map<string, { readonly options: Program["options"]; readonly include: Set<string> }>()
  for (const path of globSync(pattern, { cwd: root }).sort()) {
    if (path.endsWith("tsconfig.build.json")) continue
    const options = optionsOf(root, path)
    const key = JSON.stringify(Object.entries({ types: [], ...options }).sort())
    const program = programs.get(key) ?? { options, include: new Set() }
    programs.set(key, program)
    for (const folder of read(join(root, path)).include) {
      const included = join(dirname(path), folder)
      if (included.includes("*") || existsSync(join(root, included))) program.include.add(included)
    }
  }
  return [...programs.values()].map(({ include, options }) => ({ options, include: [...include] }))
}
