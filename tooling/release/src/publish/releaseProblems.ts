type Entries = string | { readonly [name: string]: Entries }

/** A manifest as it is packed. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly description?: string
  readonly homepage?: string
  readonly bugs?: unknown
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly engines?: { readonly node?: string }
  readonly private?: boolean
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
  readonly exports?: Entries
  readonly bin?: Entries
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Candidate {
  readonly packed: Manifest
  /** The package's folder, from the root of the workspace. */
  readonly folder: string
  readonly files: ReadonlyArray<string>
  /** The package's CHANGELOG.md; empty if there is none. */
  readonly changelog: string
}

export const REPOSITORY = "git+https://github.com/rollcall-dev/rollcall.git"

/** A version that no release has: before `npm run release:version`, nothing has a changelog. */
export const UNRELEASED = "0.0.0"

const rangeProblems = ({ packed }: Candidate, version: string): ReadonlyArray<string> =>
  Object.entries({ ...packed.dependencies, ...packed.peerDependencies, ...packed.optionalDependencies }).flatMap(
    ([name, range]) => {
      if (/^(?:workspace|catalog|file|link):/.test(range)) return [`depends on ${name} by ${range}`]
      const isOurs = name === "rollcall" || name.startsWith("@rollcall/")
      return isOurs && range !== `^${version}` ? [`depends on ${name} ${range}, not ^${version}`] : []
    }
  )

const filesOf = (entries: Entries): ReadonlyArray<string> =>
  typeof entries === "string" ? [entries.replace("./", "")] : Object.values(entries).flatMap(filesOf)

/** What keeps a packed package from a release as `version`, a line for each. */
export const releaseProblems = (candidate: Candidate, version: string): ReadonlyArray<string> => {
  const { changelog, files, folder, packed } = candidate
  const { publishConfig } = packed
  const found = [
    packed.version === version ? [] : [`has version ${packed.version}, not ${version}`],
    packed.private === true ? ["is private"] : [],
    publishConfig?.access === "public" ? [] : ["publishConfig.access is not public"],
    publishConfig?.provenance === true ? [] : ["publishConfig.provenance is not true"],
    packed.license === "Apache-2.0" ? [] : [`has license ${packed.license}, not Apache-2.0`],
    packed.repository?.url === REPOSITORY ? [] : [`repository.url is not ${REPOSITORY}, which provenance compares`],
    packed.repository?.directory === folder ? [] : [`repository.directory is not ${folder}`],
    (["description", "homepage", "bugs", "engines"] as const)
      .filter((field) => packed[field] === undefined)
      .map((field) => `has no ${field}`),
    ["LICENSE", "README.md", ...filesOf(packed.exports ?? {}), ...filesOf(packed.bin ?? {})]
      .filter((file) => !files.includes(file))
      .map((file) => `contains no ${file}`),
    rangeProblems(candidate, version),
    version === UNRELEASED || changelog.includes(`\n## ${version}\n`) ? [] : [`CHANGELOG.md has no ${version}`]
  ]
  return found.flat().map((problem) => `${packed.name}: ${problem}`)
}
