#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"

/** An entry of a package that works without `effect`, and how large it may be as a minified bundle. */
export interface PlainEntry {
  readonly entry: string
  /** The bound of everything that it exports. */
  readonly maxBytes: number
  /** One of its names, and the bound of a bundle with this alone. */
  readonly name: string
  readonly maxBytesOfName: number
}

/** docs/how-to/without-effect.md shows this table. `packages.test.ts` holds the packed packages to it. */
export const plainEntries: ReadonlyArray<PlainEntry> = [
  { entry: "@rollcall/eviction/rules", maxBytes: 8_000, name: "TokenBucket", maxBytesOfName: 2_000 },
  { entry: "@rollcall/api/rules", maxBytes: 15_000, name: "toleratesTaint", maxBytesOfName: 1_000 },
  { entry: "@rollcall/api/text", maxBytes: 3_000, name: "parseDuration", maxBytesOfName: 1_000 },
  { entry: "@rollcall/pod-security", maxBytes: 14_000, name: "evaluate", maxBytesOfName: 12_000 },
  { entry: "@rollcall/shutdown/rules", maxBytes: 4_000, name: "planShutdown", maxBytesOfName: 2_000 },
  { entry: "@rollcall/time/heap", maxBytes: 6_000, name: "TimerHeap", maxBytesOfName: 5_800 },
  { entry: "@rollcall/text", maxBytes: 2_000, name: "columns", maxBytesOfName: 1_000 }
]

/** Bytes of a minified bundle of one line of TypeScript. Throws if it imports what `folder` does not have. */
export const bundledBytes = (folder: string, line: string): number => {
  const { outputFiles } = buildSync({
    stdin: { contents: line, resolveDir: folder, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    logLevel: "silent"
  })
  return outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0)
}

/** The package of an entry: `@rollcall/api` of `@rollcall/api/rules`. */
export const packageOf = (entry: string): string => entry.split("/").slice(0, 2).join("/")

/** Whether a TypeScript example imports such entries and nothing else. */
export const isPlainExample = (example: string): boolean => {
  const imported = [...example.matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from)
  return imported.length > 0 && imported.every((from) => plainEntries.some(({ entry }) => entry === from))
}

/** Everything that a module exports, and one of its names. */
export const bundlesOf = (from: string, name: string): readonly [all: string, single: string] => [
  `export * from ${JSON.stringify(from)}`,
  `export { ${name} } from ${JSON.stringify(from)}`
]

/** The source of an entry of this repository. */
const sourceOf = (root: string, entry: string): string => {
  const [, folder = "", ...rest] = entry.split("/")
  const path = join(root, "packages", folder)
  const { exports } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
  return join(path, exports[[".", ...rest].join("/")])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../../..", import.meta.url))
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  for (const { entry, name } of plainEntries) {
    const [all = 0, single = 0] = bundlesOf(sourceOf(root, entry), name).map((line) => bundledBytes(root, line))
    console.log(`${entry}: ${kilobytes(all)}, ${name} alone ${kilobytes(single)}`)
  }
}
