#!/usr/bin/env node
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { constants, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundle } from "./bundle.mjs"
import { installLocked, installNode, nodeProgram } from "./install.mjs"
import { namedVersions, npmLock, parsePnpmLock } from "./lock.mjs"
import { readManifests, thirdParty } from "./manifests.mjs"

/**
 * Runs the CLI from a clone: `node tooling/start/src/start.mjs ARGUMENTS`. Where the workspace is installed, its sources run. Elsewhere the CLI is
 * bundled once, which needs neither the tools of the workspace nor, after that, any package: a few MB instead of several hundred. A Node that is
 * too old for the CLI stays as it is; the release of the workspace is put beside the bundle. `.start/bin/rollcall` is the same CLI for a shell.
 */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const APP = "@rollcall/cli"
const FOLDER = join(ROOT, ".start")

const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), "utf8")

const digestOf = (/** @type {ReturnType<typeof readManifests>} */ manifests) => {
  const hash = createHash("sha256").update(read("pnpm-lock.yaml"))
  for (const folder of [join(ROOT, "tooling/start"), ...[...manifests.values()].map(({ folder }) => folder)])
    for (const file of readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).sort())
      if (/\.m?[jt]s$/.test(file)) hash.update(file).update(readFileSync(join(folder, "src", file)))
  return hash.digest("hex").slice(0, 16)
}

const esbuildBinary = `@esbuild/${process.platform}-${process.arch}`

/** The bundle of the sources as they are; made where it is missing. Returns its main file. */
const bundled = async (/** @type {string} */ work) => {
  const manifests = readManifests(ROOT)
  const target = join(FOLDER, digestOf(manifests))
  const main = join(target, "dist/main.js")
  if (existsSync(main)) return main
  process.stderr.write("preparing rollcall, once …\n")
  const versions = namedVersions(read("pnpm-lock.yaml"))
  const packages = parsePnpmLock(read("pnpm-lock.yaml"))
  const wanted = new Map([[esbuildBinary, versions.get("esbuild") ?? ""]])
  for (const name of ["esbuild", ...thirdParty(manifests, APP)]) wanted.set(name, versions.get(name) ?? "")
  installLocked(work, npmLock(packages, wanted))
  const made = join(work, "made")
  const modules = join(work, "node_modules")
  const { build } = await import(pathToFileURL(join(modules, "esbuild/lib/main.js")).href)
  const more = { supportedNode: join(ROOT, "packages/components/src/start/supportedNode.ts") }
  await bundle({ root: ROOT, manifests, app: APP, build, modules, more, outdir: join(made, "dist") })
  writeFileSync(join(made, "package.json"), JSON.stringify({ type: "module" }))
  for (const old of existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    if (old !== "bin" && !old.startsWith("node-")) rmSync(join(FOLDER, old), { recursive: true, force: true })
  move(made, target)
  return main
}

/** Moves a folder, also to another file system; nobody sees it half made. */
const move = (/** @type {string} */ from, /** @type {string} */ to) => {
  const beside = `${to}.${process.pid}`
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, beside, { recursive: true })
  renameSync(beside, to)
}

/** The bundle decides whether it runs on the Node of this process. */
const isNewEnough = async (/** @type {string} */ main) => {
  const { unsupportedNode } = await import(pathToFileURL(join(dirname(main), "supportedNode.js")).href)
  return unsupportedNode("rollcall", process.versions.node) === undefined
}

/** The workspace's release of Node. */
const workspaceNode = (/** @type {string} */ work) => {
  const version = JSON.parse(read("package.json")).devDependencies.node
  const target = join(FOLDER, `node-${version}`)
  if (!existsSync(target)) {
    installNode(join(work, "node"), version, join(work, "kept"))
    move(join(work, "kept"), target)
  }
  return join(target, nodeProgram)
}

const installed = join(ROOT, "node_modules/.bin", process.platform === "win32" ? "node.cmd" : "node")

/** The program and its main file. */
const prepare = async () => {
  if (existsSync(installed) && existsSync(join(ROOT, "apps/cli/node_modules/effect")))
    return [installed, join(ROOT, "apps/cli/src/main.ts")]
  const work = mkdtempSync(join(tmpdir(), "rollcall-start-"))
  try {
    const main = await bundled(work)
    return [(await isNewEnough(main)) ? process.execPath : workspaceNode(work), main]
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Writes `.start/bin/rollcall`, for the path of a shell. */
const writeShim = (/** @type {string} */ program, /** @type {string} */ main) => {
  const folder = join(FOLDER, "bin")
  mkdirSync(folder, { recursive: true })
  const beside = join(folder, `rollcall.${process.pid}`)
  writeFileSync(beside, `#!/bin/sh\nexec "${program}" "${main}" "$@"\n`, { mode: 0o755 })
  renameSync(beside, join(folder, "rollcall"))
}

try {
  const [program = "", main = ""] = await prepare()
  writeShim(program, main)
  const child = spawn(program, [main, ...process.argv.slice(2)], { stdio: "inherit" })
  // A terminal sends Ctrl-C to both.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"))
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
} catch (error) {
  process.stderr.write(`rollcall: cannot be prepared: ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
