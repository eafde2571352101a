import { basename } from "node:path"
import { inAscii } from "./inAscii.mjs"
import { withRequire } from "./withRequire.mjs"

/**
 * What is loaded at the same time, by the entries that load it. An entry that a library loads at its first use is in none of them.
 *
 * @type {ReadonlyArray<RegExp>}
 */
const moments = [
  // Before the compile cache is enabled.
  /\/src\/main\.ts$|\/src\/start\/|\/store-sqlite\/src\/thread\.ts$/,
  /\/cli\/src\/program\.ts$/,
  /\/src\/commands\/completion\.ts$|\/WebhookMetrics\.ts$/,
  // The flags of a program, before it runs.
  /\/components\/src\/(programs|up)\/(?!run)/,
  /\/components\/src\/(commands|transfer)\//,
  /\/runApiserver\.ts$|\/cli\/src\/(live|withCluster)\.ts$/,
  /\/runUp\.ts$/,
  /\/run(CloudControllerManager|ControllerManager|Kubelet|Scheduler)\.ts$/,
  /\/cli\/src\/(commands|rehearsals)\/.*(run|Run|Thread)\.ts$/,
  /\/store-sqlite\/src\/worker\.ts$/
]

/** @typedef {import("esbuild").Metafile["outputs"][string]} Output */
/** @typedef {ReadonlyMap<string, Output>} Outputs */

const importsOf = (/** @type {Output | undefined} */ output) =>
  (output?.imports ?? [])
    .filter(({ external, kind }) => kind === "import-statement" && external !== true)
    .map(({ path }) => basename(path))

/** Returns the files that a file loads, itself included. */
const loadedBy = (/** @type {Outputs} */ outputs, /** @type {string} */ start) => {
  const loaded = new Set([start])
  for (const file of loaded) for (const next of importsOf(outputs.get(file))) loaded.add(next)
  return loaded
}

/**
 * Returns the shared chunks that are loaded at just the same moments, by the name of their joined file. A file that one of them imports is loaded
 * at their moments too, and so joined files import each other in one direction only, as chunks do.
 *
 * @returns {Map<string, Array<string>>}
 */
export const groupsOf = (/** @type {Outputs} */ outputs) => {
  /** @type {Map<string, number>} */
  const keys = new Map()
  for (const [file, { entryPoint }] of outputs) {
    const bits = moments.reduce((sum, moment, index) => sum + (moment.test(`/${entryPoint}`) ? 2 ** index : 0), 0)
    if (entryPoint === undefined || bits === 0) continue
    for (const loaded of loadedBy(outputs, file)) keys.set(loaded, (keys.get(loaded) ?? 0) | bits)
  }
  /** @type {Map<string, Array<string>>} */
  const groups = new Map()
  for (const [file, key] of keys) {
    if (outputs.get(file)?.entryPoint !== undefined) continue
    const name = `joined-${key}.js`
    groups.set(name, [...(groups.get(name) ?? []), file])
  }
  return groups
}

/** An import of another file, as esbuild writes it. */
const imports = /import(?:\{([^{}]*)\}from)?"\.\/([\w-]+\.js)";/g

/**
 * Returns the text of each file, with the imports of other joined files in place of those of their chunks.
 *
 * @param {ReadonlyMap<string, string>} texts
 * @param {ReadonlyMap<string, string>} groupOf
 * @param {(chunk: string, name: string) => string} joinedName
 */
const redirected = (texts, groupOf, joinedName) => {
  const redirect =
    (/** @type {string} */ file) =>
    (/** @type {string} */ all, /** @type {string | undefined} */ names, /** @type {string} */ chunk) => {
      const group = groupOf.get(chunk)
      if (group === undefined || group === groupOf.get(file)) return all
      if (names === undefined) return `import"./${group}";`
      const renamed = names.split(",").map((name) => {
        const [from, to = from] = name.split(" as ")
        return `${joinedName(chunk, from ?? "")} as ${to}`
      })
      return `import{${renamed.join(",")}}from"./${group}";`
    }
  return new Map([...texts].map(([file, text]) => [file, text.replaceAll(imports, redirect(file))]))
}

/**
 * Joins the chunks of a bundle that are always loaded together, since Node takes half a millisecond to find and link a file.
 *
 * @param {import("esbuild").BuildResult<{ metafile: true, write: false }>} bundle
 * @param {{ build: typeof import("esbuild").build, outdir: string, options: import("esbuild").BuildOptions }} into
 */
export const joinChunks = async ({ metafile, outputFiles }, { build, options, outdir }) => {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const groups = groupsOf(outputs)
  const groupOf = new Map([...groups].flatMap(([group, files]) => files.map((file) => [file, group])))
  /** @type {Map<string, string>} */
  const shortNames = new Map()
  const joinedName = (/** @type {string} */ chunk, /** @type {string} */ name) => {
    const known = shortNames.get(`${chunk} ${name}`) ?? `$${shortNames.size.toString(36)}`
    shortNames.set(`${chunk} ${name}`, known)
    return known
  }
  const joined = (/** @type {string} */ file) => {
    const names = (outputs.get(file)?.exports ?? []).map((name) => `${name} as ${joinedName(file, name)}`)
    return names.length === 0 ? `import "./${file}"` : `export { ${names.join(", ")} } from "./${file}"`
  }
  const texts = redirected(new Map(outputFiles.map(({ path, text }) => [basename(path), text])), groupOf, joinedName)
  const files = [...groups.keys(), ...[...texts.keys()].filter((file) => !groupOf.has(file))]
  const contentsOf = (/** @type {string} */ file) => texts.get(file) ?? (groups.get(file) ?? []).map(joined).join("\n")
  await build({
    ...options,
    bundle: true,
    entryPoints: files.map((file) => ({ in: file, out: basename(file, ".js") })),
    outdir,
    plugins: [
      {
        name: "joining",
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /.*/ }, ({ importer, kind, path }) => {
            const file = basename(path)
            const group = kind === "import-statement" && path.startsWith("./") ? groupOf.get(file) : undefined
            if (kind !== "entry-point" && group === undefined) return { path, external: true }
            if (group !== undefined && group !== importer && group !== groupOf.get(importer))
              return { errors: [{ text: `${importer} imports ${file} in a way that is not known here` }] }
            return { path: file, namespace: "chunk" }
          })
          onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({
            contents: withRequire(inAscii(contentsOf(path)))
          }))
        }
      }
    ]
  })
}
