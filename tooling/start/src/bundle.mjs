import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { joinChunks } from "./joinChunks.mjs"
import { licensesOf } from "./licenses.mjs"

/**
 * Where a bundle is made from. `modules` is a node_modules folder with everything that the app needs; an installed workspace needs none.
 *
 * @typedef {{ root: string, manifests: ReturnType<typeof import("./manifests.mjs").readManifests>, modules?: string }} Sources
 */

/** @typedef {typeof import("esbuild").build} Build */

const outputOptions = {
  platform: /** @type {const} */ ("node"),
  format: /** @type {const} */ ("esm"),
  target: "node22",
  // Node keeps the text of what it runs. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: /** @type {const} */ ("error")
}

/** What all bundles of our programs have in common. */
export const bundleOptions = (/** @type {Sources} */ { manifests, modules, root }) => ({
  ...outputOptions,
  absWorkingDir: root,
  bundle: true,
  nodePaths: modules === undefined ? [] : [modules],
  plugins: [workspace(manifests)],
  metafile: /** @type {const} */ (true)
})

/** The thread of the SQLite store. */
export const workerOf = (/** @type {string} */ root) => join(root, "packages/store-sqlite/src/worker.ts")

/** The threads of an app, by the names of their scripts. */
const threadsOf = (/** @type {string} */ root, /** @type {string} */ folder) => {
  const rehearsal = join(folder, "src/rehearsals/rehearsalThread.ts")
  return { worker: workerOf(root), ...(existsSync(rehearsal) ? { rehearsalThread: rehearsal } : {}) }
}

/**
 * Bundles an app from its sources with everything that it needs, the store's thread and the licenses beside it. `more` names further entries.
 *
 * @param {Sources & { app: string, outdir: string, build: Build, more?: Record<string, string> }} options
 */
export const bundle = async ({ app, build, more = {}, outdir, ...sources }) => {
  const { manifests, root } = sources
  const folder = manifests.get(app)?.folder ?? root
  const made = await build({
    ...bundleOptions(sources),
    entryPoints: { main: join(folder, "src/main.ts"), ...threadsOf(root, folder), ...more },
    outdir,
    write: false,
    splitting: true
  })
  await joinChunks(made, { build, outdir, options: outputOptions })
  writeFileSync(join(outdir, "LICENSES.txt"), licensesOf(root, Object.keys(made.metafile.inputs)))
}

/**
 * Resolves packages of the workspace to their sources.
 *
 * @returns {import("esbuild").Plugin}
 */
const workspace = (/** @type {Sources["manifests"]} */ manifests) => ({
  name: "workspace",
  setup({ onResolve }) {
    onResolve({ filter: /^@rollcall\// }, ({ path }) => {
      const [scope, name, ...rest] = path.split("/")
      const found = manifests.get(`${scope}/${name}`)
      const entry = found?.manifest.exports?.[rest.length === 0 ? "." : `./${rest.join("/")}`]
      return found === undefined || entry === undefined
        ? undefined
        : { path: join(found.folder, entry), sideEffects: false }
    })
  }
})
