import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inAscii } from "@rollcall/start/ascii"
import { bundleOptions, workerOf } from "@rollcall/start/bundle"
import { installNode, nodeProgram } from "@rollcall/start/install"
import { licensesOf } from "@rollcall/start/licenses"
import { readManifests } from "@rollcall/start/manifests"
import { build } from "esbuild"

/** Node looks for its program under this name, and for the mark that says that there is one. */
const RESOURCE = "NODE_SEA_BLOB"
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"

export const executableName = `rollcall-linux-${process.arch}`

/** Bundles the CLI into one CommonJS file, which is what Node 24 takes. Returns its licenses. */
const bundleToOneFile = async (root: string, outfile: string): Promise<string> => {
  const options = bundleOptions({ root, manifests: readManifests(root) })
  const worker = await build({ ...options, entryPoints: [workerOf(root)], format: "esm", write: false })
  const script = Buffer.from(worker.outputFiles[0]?.contents ?? []).toString("base64")
  const { metafile, outputFiles } = await build({
    ...options,
    entryPoints: [join(root, "apps/cli/src/main.ts")],
    outfile,
    write: false,
    format: "cjs",
    plugins: [
      ...options.plugins,
      {
        name: "worker",
        setup({ onLoad }) {
          onLoad({ filter: /\/store-sqlite\/src\/workerScript\.ts$/ }, () => ({
            contents: `export const workerScript = new URL("data:text/javascript;base64,${script}")`
          }))
          onLoad({ filter: /\/cli\/src\/rehearsals\/threadScript\.ts$/ }, () => ({
            contents: "export const threadScript = undefined"
          }))
        }
      }
    ]
  })
  for (const { path, text } of outputFiles) writeFileSync(path, inAscii(text))
  return licensesOf(root, [...Object.keys(metafile.inputs), ...Object.keys(worker.metafile.inputs)])
}

/** Removes the symbols that only a debugger reads; where `strip` is missing, the executable is larger. It must come before the injection. */
const strip = (program: string): void => {
  const { error, status } = spawnSync("strip", [program], { stdio: "ignore" })
  if (error === undefined && status !== 0) throw new Error(`strip ${program} ended with ${status}`)
}

/** Puts a CommonJS file, compiled already, into a program of Node. */
const inject = (work: string, node: string, main: string, program: string): void => {
  const blob = join(work, "blob")
  const config = join(work, "config.json")
  const settings = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true }
  writeFileSync(config, JSON.stringify(settings))
  execFileSync(node, ["--experimental-sea-config", config], { stdio: "pipe" })
  copyFileSync(node, program)
  strip(program)
  const postject = fileURLToPath(import.meta.resolve("postject/dist/cli.js"))
  execFileSync(process.execPath, [postject, program, RESOURCE, blob, "--sentinel-fuse", FUSE], { stdio: "pipe" })
}

/**
 * Makes a folder with `rollcall` as one file that needs no Node, for Linux on this machine's processor, and its licenses. It runs on the
 * workspace's release of Node, which npm brings.
 */
export const makeExecutable = async (root: string, folder: string): Promise<void> => {
  const work = mkdtempSync(join(tmpdir(), "executable-"))
  try {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const kept = join(work, "kept")
    installNode(join(work, "node"), devDependencies.node, kept)
    const main = join(work, "main.cjs")
    const licenses = await bundleToOneFile(root, main)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    inject(work, join(kept, nodeProgram), main, join(folder, "rollcall"))
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
    const nodes = readFileSync(join(kept, "LICENSE"), "utf8")
    const line = "-".repeat(80)
    writeFileSync(
      join(folder, "LICENSES.txt"),
      `${licenses}\n${line}\n\nNode.js ${devDependencies.node}, with what it contains\n\n${nodes}`
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
