import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A package that is packed as for the registry. */
export interface PackedPackage {
  readonly name: string
  /** The path of its tarball. */
  readonly tarball: string
  /** The TypeScript examples of its README. */
  readonly examples: ReadonlyArray<string>
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const run = (cwd: string, command: string, args: ReadonlyArray<string>): string => {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(" ")} in ${cwd}:\n${stdout}\n${stderr}`)
  }
}

/** Returns the TypeScript examples of a README. */
export const examplesOf = (readme: string): ReadonlyArray<string> =>
  [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")

/** Returns the lines that an example should print, from its comments: `console.log(…) // [ 'a' ]`. */
export const expectedLines = (example: string): ReadonlyArray<string> =>
  [...example.matchAll(/^\s*console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1] ?? "")

/** Returns the folders of all published packages. */
export const publishedFolders = (root: string): ReadonlyArray<string> =>
  ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name)))
    .filter((folder) => readManifest(folder).private !== true)

/** Builds and packs every published package into `into` with one pnpm process: starting it through npx takes longer than packing. */
export const packAll = (root: string, pnpm: string, into: string): ReadonlyArray<PackedPackage> => {
  const folders = publishedFolders(root)
  // turbo puts what it has cached beside files of other builds.
  for (const folder of folders) rmSync(join(folder, "dist"), { recursive: true, force: true })
  run(root, "npx", ["-y", pnpm, "exec", "turbo", "run", "build", "--output-logs=errors-only"])
  // turbo exits with 0 when a signal ends it.
  const unbuilt = folders.filter((folder) => !existsSync(join(folder, "dist")))
  if (unbuilt.length > 0) throw new Error(`turbo built nothing in ${unbuilt.join(", ")}`)
  mkdirSync(into, { recursive: true })
  const names = folders.map((folder) => readManifest(folder).name)
  const chosen = names.flatMap((name) => ["--filter", name])
  run(root, "npx", ["-y", pnpm, "-r", ...chosen, "exec", "pnpm", "pack", "--out", join(into, "%s.tgz")])
  return folders.map((folder, at) => {
    const name = names[at] ?? ""
    return {
      name,
      tarball: join(into, `${name.replace("@", "").replace("/", "-")}.tgz`),
      examples: examplesOf(readFileSync(join(folder, "README.md"), "utf8"))
    }
  })
}

/** Creates an empty project outside the workspace and installs the packed packages, or only some `names` and what they depend on. */
export const installPacked = (
  packed: ReadonlyArray<PackedPackage>,
  pnpm: string,
  versions: Readonly<Record<string, string>>,
  folder: string,
  names = packed.map(({ name }) => name)
): void => {
  mkdirSync(folder, { recursive: true })
  const files = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const chosen = Object.fromEntries(names.map((name) => [name, files[name]]))
  const manifest = { name: "consumer", private: true, type: "module", dependencies: { ...chosen, ...versions } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2))
  const overrides = Object.entries(files).map(([name, file]) => `  "${name}": "${file}"`)
  writeFileSync(
    join(folder, "pnpm-workspace.yaml"),
    `packages: []\nverifyDepsBeforeRun: false\nallowBuilds: { node: true }\noverrides:\n${overrides.join("\n")}\n`
  )
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: "nodenext",
        target: "es2023",
        // Effect's declarations refer to the DOM type CryptoKey.
        lib: ["es2023", "dom"],
        types: ["node"],
        noEmit: true,
        skipLibCheck: false,
        allowImportingTsExtensions: true
      },
      include: ["*.ts"]
    })
  )
  run(folder, "npx", ["-y", pnpm, "install", "--prefer-offline", "--no-frozen-lockfile"])
}

/** Installs tarballs with npm into an empty folder, without a network. */
export const installAlone = (tarballs: ReadonlyArray<string>, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
  run(folder, "npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs])
}

/** Type-checks all examples in the consumer project. Returns the output of the compiler; throws with it if there is an error. */
export const checkExamples = (folder: string): string => run(folder, join(folder, "node_modules/.bin/tsc"), ["-p", "."])

/** Runs one file of the consumer project and returns its output. */
export const runExample = (folder: string, file: string, ...args: ReadonlyArray<string>): string =>
  run(folder, join(folder, "node_modules/.bin/node"), [file, ...args])
