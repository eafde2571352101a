import { rmSync } from "node:fs"
import { defineConfig } from "tsup"
import { writeLicenses } from "./tooling/house/src/licenses.ts"

const METAFILE = "dist/metafile-esm.json"

/** Bundles an app with everything that it needs, so that an installation is this one package. The store's thread has a file of its own. */
export default defineConfig({
  entry: { main: "src/main.ts", worker: "../../packages/store-sqlite/src/worker.ts" },
  format: ["esm"],
  target: "node22",
  platform: "node",
  noExternal: [/^(?!node:)/],
  splitting: true,
  // node:sqlite has no name without it.
  removeNodeProtocol: false,
  // CommonJS packages require Node's own modules.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  metafile: true,
  clean: true,
  onSuccess: async () => {
    writeLicenses(METAFILE, "dist/LICENSES.txt")
    rmSync(METAFILE)
  }
})
