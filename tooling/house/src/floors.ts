import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

/** A workspace member, read from its manifest and its sources. */
export interface Member {
  readonly name: string
  readonly folder: string
  /** `rollcall.floor` of the manifest. */
  readonly floor: number | undefined
  /** Workspace packages in `dependencies` and `peerDependencies`; of an app, which bundles what it needs, also in `devDependencies`. */
  readonly dependencies: ReadonlyArray<string>
  /** The folders that each folder of `src` may import, if the member declares them. */
  readonly folders: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  /** The imports in `src`. */
  readonly imports: ReadonlyArray<{ readonly file: string; readonly specifier: string }>
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly rollcall?: { readonly floor?: number; readonly folders?: Readonly<Record<string, ReadonlyArray<string>>> }
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b(?:[^"'=]*?\bfrom)?\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g

const sourceFiles = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name))
        .sort()
        .map((name) => join(folder, name))
    : []

/** Returns the import specifiers of a TypeScript source. */
export const importsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "")

/** Reads all members of the workspace: the folders of packages/, apps/ and tooling/ that have a manifest. */
export const readMembers = (root: string): ReadonlyArray<Member> =>
  ["packages", "apps", "tooling"].flatMap((group) => {
    const folder = join(root, group)
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .sort()
      .filter((name) => existsSync(join(folder, name, "package.json")))
      .map((name): Member => {
        const manifest = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")) as Manifest
        return {
          name: manifest.name,
          folder: join(group, name),
          floor: manifest.rollcall?.floor,
          folders: manifest.rollcall?.folders,
          dependencies: Object.keys({
            ...manifest.dependencies,
            ...manifest.peerDependencies,
            ...(group === "apps" ? manifest.devDependencies : {})
          }),
          imports: sourceFiles(join(folder, name, "src")).flatMap((file) =>
            importsOf(readFileSync(file, "utf8")).map((specifier) => ({ file: relative(root, file), specifier }))
          )
        }
      })
  })

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/**
 * Returns the violations of the floor rule: a member without a floor, a dependency or an import that does not point to a lower floor, a
 * relative import that leaves its own package. Returns one line for each.
 */
export const floorViolations = (root: string, members: ReadonlyArray<Member>): ReadonlyArray<string> => {
  const byName = new Map(members.map((member) => [member.name, member]))
  return members.flatMap((member) => {
    const found: Array<string> = []
    const { floor } = member
    if (floor === undefined) return [`${member.folder}/package.json: no rollcall.floor`]
    const check = (where: string, name: string) => {
      const target = byName.get(name)
      if (target === undefined || target === member) return
      if (target.floor === undefined || target.floor >= floor) {
        found.push(`${where}: ${member.name} (floor ${floor}) may not use ${name} (floor ${target.floor ?? "none"})`)
      }
    }
    for (const name of member.dependencies) check(`${member.folder}/package.json`, name)
    for (const { file, specifier } of member.imports) {
      if (specifier.startsWith(".")) {
        const target = relative(join(root, member.folder), resolve(root, dirname(file), specifier))
        if (target.startsWith("..")) found.push(`${file}: ${specifier} leaves the package`)
      } else check(file, packageOf(specifier))
    }
    return found
  })
}
