import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { assert, describe, it } from "vitest"
import { bundle } from "../src/bundle.mjs"
import { namedVersions, npmLock, parsePnpmLock } from "../src/lock.mjs"
import { readManifests, thirdParty } from "../src/manifests.mjs"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const lock = readFileSync(join(ROOT, "pnpm-lock.yaml"), "utf8")

describe("the lock file of npm", () => {
  it("has the version and hash of everything that the CLI needs", () => {
    const versions = namedVersions(lock)
    const names = [...thirdParty(readManifests(ROOT), "@rollcall/cli")]
    assert.includeMembers(names, ["effect", "@effect/platform-node", "yaml", "dbus-native"])
    const { packages } = npmLock(parsePnpmLock(lock), new Map(names.map((name) => [name, versions.get(name) ?? ""])))
    assert.includeMembers(Object.keys(packages), ["node_modules/effect", "node_modules/xml2js", "node_modules/sax"])
    for (const [name, { integrity }] of Object.entries<{ integrity?: string }>(packages))
      if (name !== "") assert.match(integrity ?? "", /^sha512-/, name)
  })

  it("cannot have two versions of a package, or one that the workspace does not lock", () => {
    const locked = (version: string, dependencies: ReadonlyArray<readonly [string, string]> = []) => ({
      version,
      integrity: "sha512-a",
      dependencies: new Map(dependencies)
    })
    const packages = new Map([
      ["a@1.0.0", locked("1.0.0", [["b", "1.0.0"]])],
      ["b@1.0.0", locked("1.0.0")],
      ["b@2.0.0", locked("2.0.0")]
    ])
    const wanted = (...names: ReadonlyArray<readonly [string, string]>) => npmLock(packages, new Map(names))
    assert.sameMembers(Object.keys(wanted(["a", "1.0.0"]).packages), ["", "node_modules/a", "node_modules/b"])
    assert.throws(() => wanted(["a", "1.0.0"], ["b", "2.0.0"]), "two versions of b: 2.0.0 and 1.0.0")
    assert.throws(() => wanted(["c", "1.0.0"]), "pnpm-lock.yaml has no c@1.0.0")
  })
})

/** Links everything that a lock file names from the store of the workspace into a folder. */
const linkPackages = (folder: string, names: ReadonlyArray<string>) => {
  const store = join(ROOT, "node_modules/.pnpm")
  const entries = readdirSync(store)
  for (const name of names) {
    const from = entries
      .filter((entry) => entry.startsWith(`${name.replace("/", "+")}@`))
      .map((entry) => join(store, entry, "node_modules", name))
      .find(existsSync)
    assert.isDefined(from, name)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    symlinkSync(from ?? "", join(folder, name))
  }
}

describe("the bundle of a clone", () => {
  it("runs without any package beside it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    try {
      const manifests = readManifests(ROOT)
      const modules = join(folder, "node_modules")
      linkPackages(modules, [...thirdParty(manifests, "@rollcall/cli")])
      const made = join(folder, "made")
      await bundle({ root: ROOT, manifests, app: "@rollcall/cli", build, modules, outdir: join(made, "dist") })
      rmSync(modules, { recursive: true })
      writeFileSync(join(made, "package.json"), JSON.stringify({ type: "module" }))
      const run = (...args: ReadonlyArray<string>) =>
        execFileSync(process.execPath, [join(made, "dist/main.js"), ...args], { encoding: "utf8" })
      assert.match(run("--version"), /^rollcall v\d/)
      assert.include(run("simulate", join(ROOT, "examples/zone-outage.yaml"), "--quiet"), "all 8 expectations held")
      const data = join(folder, "data")
      const up = ["up", "--nodes=2", "--port=0", `--data-dir=${data}`, "--exit-when-ready"]
      assert.match(run(...up), /2 nodes are Ready/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
