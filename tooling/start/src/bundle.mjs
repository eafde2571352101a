import { join } from "node:path"

/**
 * Bundles an app from its sources, the store's thread beside it. `modules` is a node_modules folder with esbuild and everything that the app needs.
 *
 * @param {{ root: string, manifests: ReturnType<typeof import("./manifests.mjs").readManifests>, app: string, modules: string, outdir: string }} options
 */
export const bundle = async ({ app, manifests, modules, outdir, root }) => {
  const { build } = await import(join(modules, "esbuild/lib/main.js"))
  const workspace = {
    name: "workspace",
    setup(/** @type {any} */ { onResolve }) {
      onResolve({ filter: /^@rollcall\// }, (/** @type {{ path: string }} */ { path }) => {
        const [scope, name, ...rest] = path.split("/")
        const found = manifests.get(`${scope}/${name}`)
        const entry = found?.manifest.exports?.[rest.length === 0 ? "." : `./${rest.join("/")}`]
        return found === undefined || entry === undefined
          ? undefined
          : { path: join(found.folder, entry), sideEffects: false }
      })
    }
  }
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: join(manifests.get(app)?.folder ?? root, "src/main.ts"),
      worker: join(root, "packages/store-sqlite/src/worker.ts")
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    nodePaths: [modules],
    plugins: [workspace],
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
  })
}
