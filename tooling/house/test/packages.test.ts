import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { apiChanges, apiReport } from "../src/apiReport.ts"
import { packageProblems } from "../src/packageProblems.ts"
import {
  checkExamples,
  examplesOf,
  expectedLines,
  installPacked,
  packAll,
  publishedFolders,
  runExample
} from "../src/packages.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const workspace = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const clientNode: string = JSON.parse(readFileSync(join(root, "packages/testing/package.json"), "utf8"))
  .devDependencies["@kubernetes/client-node"]

const catalog = (name: string): string => {
  const version = new RegExp(`^  "?${name}"?: (.+)$`, "m").exec(workspace)?.[1]
  assert.isDefined(version, `${name} is in the catalog`)
  return version ?? ""
}

const nameOf = (folder: string): string => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name

/** A package in an empty folder outside the workspace: it installs, its README's examples type-check and run. */
describe("packed packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "packed-"))
  const consumer = join(folder, "consumer")
  const fileOf = (name: string, index: number) => `${name.replace("@rollcall/", "")}-${index}.ts`

  beforeAll(() => {
    const packed = packAll(root, manifest.packageManager, join(folder, "tarballs"))
    installPacked(
      packed,
      manifest.packageManager,
      {
        effect: catalog("effect"),
        "@effect/platform-node": catalog("@effect/platform-node"),
        "@kubernetes/client-node": clientNode,
        node: manifest.devDependencies.node,
        typescript: catalog("typescript"),
        "@types/node": catalog("@types/node")
      },
      consumer
    )
    for (const { examples, name } of packed)
      for (const [index, example] of examples.entries()) writeFileSync(join(consumer, fileOf(name, index)), example)
    cpSync(join(root, "examples/layers"), join(consumer, "layers"), { recursive: true })
  }, 300_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

  it("are small: all tarballs have 10 MB at most, each program 2 MB", () => {
    const sizes = publishedFolders(root).map((path) => ({ path, bytes: statSync(tarballOf(path)).size }))
    assert.isBelow(
      sizes.reduce((sum, { bytes }) => sum + bytes, 0),
      10e6
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
    const lines = entries.map((entry) => `if (Object.keys(require("${entry}")).length === 0) console.log("${entry}")`)
    writeFileSync(join(consumer, "all.cjs"), lines.join("\n"))
    assert.strictEqual(runExample(consumer, "all.cjs").trim(), "")
  }, 60_000)

  it("type-check in every example", () => assert.strictEqual(checkExamples(consumer).trim(), ""), 60_000)

  for (const path of publishedFolders(root)) {
    const name = nameOf(path)
    if (path.includes("/apps/")) continue
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

  it("@rollcall/cli: the bin prints its help, and rehearses", () => {
    const bin = "node_modules/@rollcall/cli/dist/main.js"
    assert.include(runExample(consumer, bin, "--help"), "simulate")
    const story = runExample(consumer, bin, "simulate", join(root, "examples/zone-outage.yaml"), "--quiet")
    assert.include(story, "all 8 expectations held")
  }, 60_000)

  it("@rollcall/cli: the bin brings up a live cluster", () => {
    const bin = "node_modules/@rollcall/cli/dist/main.js"
    assert.match(runExample(consumer, bin, "up", "--nodes=2", "--port=0", "--exit-when-ready"), /2 nodes are Ready/)
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

  it("@rollcall/server: the bin prints its help", () => {
    const bin = "node_modules/@rollcall/server/dist/main.js"
    assert.include(runExample(consumer, bin, "--help"), "ROLLCALLD_DATA_DIR")
  }, 60_000)
})
