import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const run = (/** @type {string} */ cwd, /** @type {string} */ command, /** @type {ReadonlyArray<string>} */ args) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}:\n${stdout ?? ""}${stderr ?? ""}`)
}

/** Runs npm with a cache of its own, which is deleted with the folder. */
const npm = (/** @type {string} */ folder, /** @type {ReadonlyArray<string>} */ args) =>
  run(folder, "npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--cache", join(folder, "cache")])

/** Installs packages by a lock file of npm. */
export const installLocked = (
  /** @type {string} */ folder,
  /** @type {ReturnType<typeof import("./lock.mjs").npmLock>} */ lock
) => {
  const { dependencies } = lock.packages[""]
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: lock.name, private: true, dependencies }))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
  npm(folder, ["ci"])
}

/** The package of npm with Node for this machine, as the package `node` names it. */
const nodePackage = () => {
  const platform = process.platform === "win32" ? "win" : process.platform
  return `${platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"}-${platform}-${process.arch}`
}

/** The program in what `installNode` leaves. */
export const nodeProgram = process.platform === "win32" ? "bin/node.exe" : "bin/node"

/** Installs a release of Node into a folder: its program and its license. */
export const installNode = (
  /** @type {string} */ work,
  /** @type {string} */ version,
  /** @type {string} */ folder
) => {
  mkdirSync(work)
  writeFileSync(join(work, "package.json"), JSON.stringify({ private: true }))
  const name = nodePackage()
  npm(work, ["install", `${name}@${version}`])
  for (const file of [nodeProgram, "LICENSE"]) cpSync(join(work, "node_modules", name, file), join(folder, file))
}
