import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { assert, describe, it } from "vitest"
import { joinChunks } from "../src/joinChunks.mjs"

/** Prints which modules are evaluated, in their order, and what they see of each other. */
const sources = {
  "cli/src/main.ts": `
    import { count } from "./each.ts"
    const { program } = await import("./program.ts")
    const { run } = await import("../../components/src/programs/runApiserver.ts")
    console.log([...program(), ...run(), count()].join(" "))`,
  "cli/src/program.ts": `
    import { count } from "./each.ts"
    import { value as store } from "./store.ts"
    export const program = () => ["program", count(), store]`,
  "components/src/programs/runApiserver.ts": `
    import { count } from "../../../cli/src/each.ts"
    import { value } from "../../../cli/src/api.ts"
    export const run = () => ["run", count(), value]`,
  // A scheduler and a kubelet start at the same moment, so that what both share with runUp and what one shares are joined.
  "components/src/programs/runScheduler.ts": `
    import { value } from "../../../cli/src/api.ts"
    import { both } from "./both.ts"
    import { one } from "./one.ts"
    export const run = () => [value, both, one]`,
  "components/src/programs/runKubelet.ts": `
    import { both } from "./both.ts"
    export const run = () => [both]`,
  "components/src/programs/both.ts": `
    export const both = "both"`,
  "components/src/programs/one.ts": `
    import { both } from "./both.ts"
    export const one = both + " one"`,
  "components/src/up/runUp.ts": `
    import { value } from "../../../cli/src/api.ts"
    import { one } from "../programs/one.ts"
    import { both } from "../programs/both.ts"
    import { value as store } from "../../../cli/src/store.ts"
    export const load = () => [import("./later.ts"), import("../programs/runScheduler.ts"), import("../programs/runKubelet.ts")]
    console.log([value, store, one, both].join(" "))`,
  "components/src/up/later.ts": `
    import { value } from "../../../cli/src/store.ts"
    export const later = value`,
  "cli/src/each.ts": `
    let counted = 0
    export const count = () => ++counted`,
  "cli/src/store.ts": `
    console.log("store is evaluated")
    export const value = "storeμ".replace(/[µμ]|(?<=b)μ/u, "")`,
  "cli/src/api.ts": `
    import { value as store } from "./store.ts"
    export const value = \`api of \${store}\``
}

const inFolder = async (use: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "join-"))
  try {
    for (const [path, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const options = { format: "esm", platform: "node", minifyWhitespace: true, logLevel: "silent" } as const

const chunksOf = (folder: string) => {
  const entryPoints = ["cli/src/main.ts", "components/src/up/runUp.ts"].map((path) => join(folder, path))
  const kept = { ...options, bundle: true, splitting: true, metafile: true, write: false } as const
  return build({ ...kept, absWorkingDir: folder, entryPoints, entryNames: "[name]", outdir: join(folder, "dist") })
}

describe("chunks that are loaded at the same moments", () => {
  it("are one file, and each module is evaluated once", () =>
    inFolder(async (folder) => {
      const chunks = await chunksOf(folder)
      const outdir = join(folder, "dist")
      await joinChunks(chunks, { build, outdir, options })
      const files = readdirSync(outdir)
      assert.isBelow(files.length, chunks.outputFiles.length)
      assert.deepEqual(
        files.filter((file) => file.startsWith("chunk-")),
        []
      )
      const output = execFileSync(process.execPath, [join(outdir, "main.js")], { encoding: "utf8" })
      assert.strictEqual(output, "store is evaluated\nprogram 1 store run 2 api of store 3\n")
      const up = execFileSync(process.execPath, [join(outdir, "runUp.js")], { encoding: "utf8" })
      assert.strictEqual(up, "store is evaluated\napi of store store both one both\n")
    }))

  it("are in ASCII, whatever letters their regular expressions look for", () =>
    inFolder(async (folder) => {
      const outdir = join(folder, "dist")
      await joinChunks(await chunksOf(folder), { build, outdir, options })
      for (const file of readdirSync(outdir)) assert.match(readFileSync(join(outdir, file), "utf8"), /^[ -~\s]*$/, file)
    }))

  it("must import each other as esbuild writes it: a module is never there twice", () =>
    inFolder(async (folder) => {
      const chunks = await chunksOf(folder)
      for (const file of chunks.outputFiles) {
        const { text } = file
        Object.defineProperty(file, "text", { value: text.replaceAll('from"./', 'from "./') })
      }
      const joined = joinChunks(chunks, { build, outdir: join(folder, "dist"), options })
      const refused = await joined.then(
        () => "joined",
        (error: unknown) => String(error)
      )
      assert.match(refused, /imports chunk-\w+\.js in a way that is not known here/)
    }))
})
