import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { apiChanges, apiReport } from "@rollcall/house/apiReport"
import {
  checkExamples,
  examplesOf,
  expectedLines,
  installAlone,
  installPacked,
  type PackedPackage,
  packAll,
  publishedFolders,
  runExample
} from "@rollcall/house/packages"
import { installNode } from "@rollcall/start/install"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { installPaths } from "../src/install/paths.ts"
import { type Registry, serveRegistry } from "../src/install/registry.ts"
import { tryOldNode, tryPath } from "../src/install/tryPath.ts"
import { packageProblems } from "../src/packageProblems.ts"
import { bundledBytes, bundlesOf, isPlainExample, packageOf, plainEntries } from "../src/withoutEffect.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const workspace = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const catalog = (name: string): string => {
  const version = new RegExp(`^  "?${name}"?: (.+)$`, "m").exec(workspace)?.[1]
  assert.isDefined(version, `${name} is in the catalog`)
  return version ?? ""
}

/** Bytes of all files below a folder, without those that links lead to. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sum + bytesIn(path)
    return entry.isFile() ? sum + statSync(path).size : sum
  }, 0)

const nameOf = (folder: string): string => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name

/** A package in an empty folder outside the workspace: it installs, its README's examples type-check and run. */
describe("packed packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "packed-"))
  const consumer = join(folder, "consumer")
  const fileOf = (name: string, index: number) => `${name.replace("@rollcall/", "")}-${index}.ts`

  let packed: ReadonlyArray<PackedPackage>
  beforeAll(() => {
    packed = packAll(root, manifest.packageManager, join(folder, "tarballs"))
    installPacked(
      packed,
      manifest.packageManager,
      {
        effect: catalog("effect"),
        "@effect/platform-node": catalog("@effect/platform-node"),
        "@kubernetes/client-node": manifest.devDependencies["@kubernetes/client-node"],
        node: manifest.devDependencies.node,
        typescript: catalog("typescript"),
        "@types/node": catalog("@types/node")
      },
      consumer
    )
    for (const { examples, name } of packed)
      for (const [index, example] of examples.entries()) writeFileSync(join(consumer, fileOf(name, index)), example)
    cpSync(join(root, "examples/layers"), join(consumer, "layers"), { recursive: true })
    cpSync(join(root, "examples"), join(consumer, "examples"), { recursive: true })
  }, 300_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000)

  const tarballOf = (path: string) => join(folder, "tarballs", `${nameOf(path).replace("@", "").replace("/", "-")}.tgz`)

  it("have neither a wrong entry nor wrong types, by publint and Are The Types Wrong", async () => {
    for (const path of publishedFolders(root))
      assert.deepStrictEqual(await packageProblems(tarballOf(path)), [], nameOf(path))
  }, 120_000)

  it("offer what api.txt says; `pnpm api` writes it", () => {
    const changes = publishedFolders(root)
      .filter((path) => path.includes("/packages/"))
      .flatMap((path) => {
        const before = readFileSync(join(path, "api.txt"), "utf8")
        return apiChanges(before, apiReport(path)).map((change) => `${nameOf(path)} ${change}`)
      })
    assert.deepStrictEqual(changes, [])
  })

  it("are small: all tarballs have 10.5 MB at most, each program 2 MB", () => {
    const sizes = publishedFolders(root).map((path) => ({ path, bytes: statSync(tarballOf(path)).size }))
    assert.isBelow(
      sizes.reduce((sum, { bytes }) => sum + bytes, 0),
      10.5e6
    )
    for (const { bytes, path } of sizes) if (path.includes("/apps/")) assert.isBelow(bytes, 2e6, path)
  })

  it("load by require in a CommonJS program", () => {
    const entries = publishedFolders(root)
      .filter((path) => path.includes("/packages/"))
      .flatMap((path) => {
        const { exports, name } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
        return Object.keys(exports).map((entry) => join(name, entry))
      })
      .filter((entry) => !entry.endsWith("package.json") && !entry.endsWith("/worker") && !entry.endsWith("/testing"))
      // It has types alone.
      .filter((entry) => entry !== "@rollcall/streams/kubelet")
    const lines = entries.map((entry) => `if (Object.keys(require("${entry}")).length === 0) console.log("${entry}")`)
    writeFileSync(join(consumer, "all.cjs"), lines.join("\n"))
    assert.strictEqual(runExample(consumer, "all.cjs").trim(), "")
  }, 60_000)

  it("type-check in every example", () => assert.strictEqual(checkExamples(consumer).trim(), ""), 60_000)

  for (const path of publishedFolders(root)) {
    const name = nameOf(path)
    // The example of store-etcd needs an etcd: the package's own tests run it on one.
    if (path.includes("/apps/") || name === "@rollcall/store-etcd") continue
    it(`${name}: the README's examples run, and print the documented output`, () => {
      const examples = examplesOf(readFileSync(join(path, "README.md"), "utf8"))
      assert.isNotEmpty(examples)
      for (const [index, example] of examples.entries()) {
        const printed = runExample(consumer, fileOf(name, index)).trim()
        assert.notStrictEqual(printed, "")
        assert.includeMembers(printed.split("\n"), [...expectedLines(example)])
      }
    }, 60_000)
  }

  describe("in an empty folder, without Effect", () => {
    const empty = join(folder, "empty")
    const tsc = join(root, "node_modules/.bin/tsc")
    const chosen = new Set(plainEntries.map(({ entry }) => packageOf(entry)))
    const folders = publishedFolders(root).filter((path) => chosen.has(nameOf(path)))
    const runNode = (...args: ReadonlyArray<string>) =>
      execFileSync(process.execPath, args, { cwd: empty, encoding: "utf8" }).trim()

    beforeAll(() => installAlone(folders.map(tarballOf), empty), 60_000)

    it("take kilobytes, or megabytes with the objects of the API", () => {
      assert.sameMembers(readdirSync(join(empty, "node_modules")), [".package-lock.json", "@rollcall"])
      assert.isBelow(bytesIn(join(empty, "node_modules/@rollcall/eviction")), 300e3)
      assert.isBelow(bytesIn(join(empty, "node_modules")), 8e6)
    })

    for (const { entry, maxBytes, maxBytesOfName, name } of plainEntries)
      it(`${entry}: loads by import and by require, and is small in a bundle`, () => {
        const kind = `typeof all.${name} === "function"`
        assert.strictEqual(runNode("-e", `import("${entry}").then((all) => console.log(${kind}))`), "true")
        assert.strictEqual(runNode("-e", `const all = require("${entry}"); console.log(${kind})`), "true")
        const [all = 0, single = 0] = bundlesOf(entry, name).map((line) => bundledBytes(empty, line))
        assert.isBelow(all, maxBytes)
        assert.isBelow(single, maxBytesOfName)
      })

    for (const path of folders)
      it(`${nameOf(path)}: an example of the README type-checks and runs`, () => {
        const examples = examplesOf(readFileSync(join(path, "README.md"), "utf8")).filter(isPlainExample)
        assert.isNotEmpty(examples)
        for (const [index, example] of examples.entries()) {
          const file = fileOf(nameOf(path), index)
          writeFileSync(join(empty, file), example)
          const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"]
          execFileSync(tsc, [...options, "--types", "", "--skipLibCheck", "false", file], { cwd: empty, stdio: "pipe" })
          const printed = runNode(file)
          assert.notStrictEqual(printed, "")
          assert.includeMembers(printed.split("\n"), [...expectedLines(example)])
        }
      })
  })

  it("rollcall: takes 110 MB at most, and works in a project that names nothing else", () => {
    const alone = join(folder, "alone")
    installPacked(packed, manifest.packageManager, {}, alone, ["rollcall"])
    assert.isBelow(bytesIn(join(alone, "node_modules")), 110e6)
    const text = `import { simulate } from "rollcall"
      const { failed } = await simulate(${JSON.stringify(join(root, "examples/zone-outage.yaml"))})
      console.log(failed.length)`
    writeFileSync(join(alone, "rehearse.mjs"), text)
    const run = (...args: ReadonlyArray<string>) =>
      execFileSync(process.execPath, args, { cwd: alone, encoding: "utf8" }).trim()
    assert.strictEqual(run("rehearse.mjs"), "0")
    assert.include(run("node_modules/rollcall/dist/bin.js", "--help"), "simulate")
  }, 60_000)

  it("@rollcall/cli: the bin prints its help, and rehearses", () => {
    const bin = "node_modules/@rollcall/cli/dist/main.js"
    assert.include(runExample(consumer, bin, "--help"), "simulate")
    const story = runExample(consumer, bin, "simulate", join(root, "examples/zone-outage.yaml"), "--quiet")
    assert.include(story, "all 8 expectations held")
  }, 60_000)

  const shop = (...args: ReadonlyArray<string>) =>
    runExample(consumer, "node_modules/@rollcall/cli/dist/main.js", ...args)
      .split("\n")
      .filter((line) => /"type":"(PodScheduled|PodReadyChanged|ZoneCreated)"/.test(line))

  for (const layers of ["cloud-provider", "links", "pod-runtime", "scheduler-plugin", "store"]) {
    it(`examples/layers/${layers}.ts: changes a rehearsal`, () => {
      const usual = shop("simulate", "layers/shop.yaml", "--quiet", "-o", "ndjson")
      const own = shop("simulate", "layers/shop.yaml", "--quiet", "-o", "ndjson", "--layers", `layers/${layers}.ts`)
      assert.isNotEmpty(own)
      assert.notDeepEqual(own, usual)
    }, 60_000)
  }

  it("examples/layers/admission-plugin.ts: refuses pods of a rehearsal", () => {
    const untagged = readFileSync(join(consumer, "layers/shop.yaml"), "utf8").replace("shop:1", "shop")
    writeFileSync(join(consumer, "layers/untagged.yaml"), untagged)
    const rehearse = ["simulate", "layers/untagged.yaml", "--quiet", "-o", "ndjson"]
    assert.isNotEmpty(shop(...rehearse))
    assert.isEmpty(
      shop(...rehearse, "--layers", "layers/admission-plugin.ts").filter((line) => line.includes("PodScheduled"))
    )
  }, 60_000)

  it("examples/layers/all.ts: all of them at once, in a live cluster", () => {
    const bin = "node_modules/@rollcall/cli/dist/main.js"
    const data = join(folder, "data")
    const up = ["up", "--config=layers/shop.yaml", "--layers=layers/all.ts", "--port=0", `--data-dir=${data}`]
    assert.match(runExample(consumer, bin, ...up, "--exit-when-ready"), /4 nodes are Ready/)
    assert.notInclude(readdirSync(data), "store.sqlite")
  }, 60_000)

  /** `pnpm install-paths` tries each path on more releases of Node. */
  describe("in an empty folder, by npm", () => {
    const [oldest, old] = ["22.21.0", "20.20.2"]
    const nodes = join(folder, "nodes")
    let registry: Registry | undefined
    const on = (version: string) => ({
      node: version === "" ? dirname(process.execPath) : join(nodes, version, "bin"),
      registry: registry?.url ?? "",
      cache: join(folder, "cache")
    })

    beforeAll(async () => {
      registry = await serveRegistry(publishedFolders(root).map(tarballOf))
      mkdirSync(nodes)
      for (const version of [oldest, old]) installNode(join(nodes, `work-${version}`), version, join(nodes, version))
    }, 120_000)
    afterAll(() => registry?.close())

    it("are tried on the oldest supported release of Node", () =>
      assert.include(JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8")).engines.node, `^${oldest}`))

    for (const path of installPaths(root)) {
      it(`${path.name}: a cluster is Ready, and a rehearsal ends`, async () => {
        const { megabytes } = await tryPath(path, on(oldest))
        if (path.program !== undefined) assert.isBelow(megabytes, path.package === "rollcall" ? 110 : 15)
      }, 180_000)
      if (!path.package.startsWith("@") || path.program === undefined) continue
      it(`${path.name}: one sentence on Node ${old}`, async () => {
        const { code, output } = await tryOldNode(path, on(old))
        assert.strictEqual(code, 1)
        assert.match(output, new RegExp(`^rollcalld?: requires Node .*; this is Node ${old}\n$`))
      }, 60_000)
    }

    it("npx @rollcall/cli, on this release", async () => {
      const [npx] = installPaths(root)
      if (npx !== undefined) await tryPath(npx, on(""))
    }, 60_000)
  })
})
