import { readFileSync } from "node:fs"
import { defineConfig } from "tsup"

/** Builds what the package's manifest exports (or its bin), so that an entry point is declared in one place only. */
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports?: Record<string, string>
  readonly bin?: Record<string, string>
}

export default defineConfig({
  entry: [...Object.values(manifest.exports ?? {}), ...Object.values(manifest.bin ?? {})].filter((path) =>
    path.endsWith(".ts")
  ),
  format: ["esm"],
  target: "node22",
  // node:sqlite has no name without it.
  removeNodeProtocol: false,
  sourcemap: true,
  // The packages have their sources, which the maps point to.
  esbuildOptions: (options) => {
    options.sourcesContent = false
  },
  clean: true
})
