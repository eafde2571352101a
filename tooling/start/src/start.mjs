#!/usr/bin/env node
import { spawn, spawnSync } from "node:child_process"
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
import { fileURLToPath } from "node:url"
import { bundle } from "./bundle.mjs"
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

const run = (/** @type {string} */ cwd, /** @type {string} */ command, /** @type {ReadonlyArray<string>} */ args) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}:\n${stdout ?? ""}${stderr ?? ""}`)
}

/** Installs packages by a lock file of npm, with a cache of their own that is deleted with them. */
const install = (/** @type {string} */ folder, /** @type {ReturnType<typeof npmLock>} */ lock) => {
  const { dependencies } = lock.packages[""]
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: lock.name, private: true, dependencies }))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
  run(folder, "npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", join(folder, "cache")])
}

const digestOf = (/** @type {ReturnType<typeof readManifests>} */ manifests) => {
  const hash = createHash("sha256").update(read("pnpm-lock.yaml"))
  for (const { folder } of manifests.values())
    for (const file of readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).sort())
      if (file.endsWith(".ts")) hash.update(file).update(readFileSync(join(folder, "src", file)))
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
  const esbuild = [...packages.keys()].find((name) => name.startsWith("esbuild@"))?.slice("esbuild@".length) ?? ""
  const wanted = new Map([
    ["esbuild", esbuild],
    [esbuildBinary, esbuild]
  ])
  for (const name of thirdParty(manifests, APP)) wanted.set(name, versions.get(name) ?? "")
  install(work, npmLock(packages, wanted))
  const made = join(work, "made")
  await bundle({ root: ROOT, manifests, app: APP, modules: join(work, "node_modules"), outdir: join(made, "dist") })
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

const isNewEnough = () => {
  const { engines } = JSON.parse(read("apps/cli/package.json"))
  const [major = 0, minor = 0] = engines.node.replace(">=", "").split(".").map(Number)
  const [own = 0, ownMinor = 0] = process.versions.node.split(".").map(Number)
  return own > major || (own === major && ownMinor >= minor)
}

/** The package of npm with Node for this machine, as the package `node` names it. */
const nodePackage = () => {
  const platform = process.platform === "win32" ? "win" : process.platform
  return `${platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"}-${platform}-${process.arch}`
}

/** The workspace's release of Node; of its package only the program is kept. */
const installNode = (/** @type {string} */ work) => {
  const version = JSON.parse(read("package.json")).devDependencies.node
  const binary = process.platform === "win32" ? "bin/node.exe" : "bin/node"
  const target = join(FOLDER, `node-${version}`)
  if (existsSync(target)) return join(target, binary)
  const folder = join(work, "node")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
  const name = nodePackage()
  run(folder, "npm", [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--cache",
    join(folder, "cache"),
    `${name}@${version}`
  ])
  const kept = join(folder, "kept")
  cpSync(join(folder, "node_modules", name, binary), join(kept, binary))
  move(kept, target)
  return join(target, binary)
}

const installed = join(ROOT, "node_modules/.bin", process.platform === "win32" ? "node.cmd" : "node")

/** The program and its main file. */
const prepare = async () => {
  if (existsSync(installed) && existsSync(join(ROOT, "apps/cli/node_modules/effect")))
    return [installed, join(ROOT, "apps/cli/src/main.ts")]
  const work = mkdtempSync(join(tmpdir(), "rollcall-start-"))
  try {
    const main = await bundled(work)
    return [isNewEnough() ? process.execPath : installNode(work), main]
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
