import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { run } from "./cli.ts"

const example = (name: string) => fileURLToPath(new URL(`../../../examples/layers/${name}`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "layers-"))
afterAll(() => rmSync(folder, { recursive: true }))

const rehearse = (...args: ReadonlyArray<string>) => run("simulate", example("shop.yaml"), "--quiet", ...args)

interface Entry {
  readonly at: number
  readonly type: string
  readonly node: string
}

const entries = async (type: string, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<Entry>> => {
  const { code, stderr, stdout } = await rehearse("-o", "ndjson", ...args)
  assert.strictEqual(code, 0, stderr)
  const all = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry)
  return all.filter((entry) => entry.type === type)
}

describe("rollcall simulate --layers", () => {
  it("schedules pods with a scheduler plugin", async () => {
    const usual = await entries("PodScheduled")
    const cheap = await entries("PodScheduled", "--layers", example("scheduler-plugin.ts"))
    assert.isTrue(usual.some(({ node }) => node.startsWith("dear-")))
    assert.isTrue(cheap.length === 8 && cheap.every(({ node }) => node.startsWith("cheap-")))
  })

  it("runs the pods of each machine with a pod runtime", async () => {
    const pulled = await entries("PodReadyChanged", "--layers", example("pod-runtime.ts"))
    assert.isTrue(pulled.length === 8 && pulled.every(({ at }) => at > 20 && at < 25))
  })

  it("keeps objects in a store, whose delays are virtual time", async () => {
    const [slow = []] = [await entries("PodReadyChanged", "--layers", example("store.ts"))]
    const [usual = []] = [await entries("PodReadyChanged")]
    assert.isAbove(slow[0]?.at ?? 0, (usual[0]?.at ?? 0) + 0.5)
  })

  it("asks a cloud provider where the machines are", async () => {
    const zones = (await entries("ZoneCreated", "--layers", example("cloud-provider.ts"))) as ReadonlyArray<
      Entry & { readonly region: string; readonly zone: string }
    >
    assert.includeMembers(
      zones.map(({ region, zone }) => `${region} ${zone}`),
      ["cellar rack-1", "cellar rack-2"]
    )
  })

  it("scales by the metrics of a source, which sees no pod of a lost zone", async () => {
    const scenario = example("autoscaling-in-a-lost-zone.yaml")
    const lost = await run("simulate", scenario, "--allow-layers", "--quiet")
    assert.strictEqual(lost.code, 0, lost.stdout)
    const doubled = join(folder, "doubled.yaml")
    const half = readFileSync(scenario, "utf8").replace("averageUtilization: 60", "averageUtilization: 30")
    writeFileSync(doubled, half.replace("./metrics-source.ts", ""))
    const args = ["-o", "json", "--layers", example("metrics-source.ts")]
    const { stdout } = await run("simulate", doubled, "--quiet", ...args)
    const scaled = (JSON.parse(stdout).trace as ReadonlyArray<Entry>).filter(
      ({ at, type }) => type === "PodCreated" && at < 300
    )
    assert.lengthOf(scaled, 12, "twice the work of 60 %")
  })

  it("admits pods by an admission plugin", async () => {
    const scenario = join(folder, "untagged.yaml")
    writeFileSync(scenario, readFileSync(example("shop.yaml"), "utf8").replace("shop:1", "shop"))
    const { stdout } = await run(
      "simulate",
      scenario,
      "--quiet",
      "-o",
      "json",
      "--layers",
      example("admission-plugin.ts")
    )
    const { events, trace } = JSON.parse(stdout) as {
      readonly events: ReadonlyArray<{ readonly reason: string; readonly message: string }>
      readonly trace: ReadonlyArray<Entry>
    }
    assert.notInclude(
      trace.map(({ type }) => type),
      "PodScheduled"
    )
    assert.include(events.find(({ reason }) => reason === "FailedCreate")?.message ?? "", "image shop has no tag")
  })
})

describe("spec.layers of a scenario", () => {
  const scenario = (layers: string) => {
    const file = join(folder, "with-layers.yaml")
    const text = readFileSync(example("shop.yaml"), "utf8").replace("spec:", `spec:\n  layers: ${layers}`)
    writeFileSync(file, text)
    return file
  }
  writeFileSync(join(folder, "plugin.ts"), readFileSync(example("scheduler-plugin.ts")))

  it("runs if the user allows it, and is named in the result", async () => {
    const file = scenario('["./plugin.ts"]')
    const { code, stdout } = await run("simulate", file, "--quiet", "-o", "json", "--allow-layers")
    const { spec, trace } = JSON.parse(stdout) as {
      readonly spec: { readonly layers: ReadonlyArray<{ readonly name: string; readonly sha256: string }> }
      readonly trace: ReadonlyArray<Entry>
    }
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      spec.layers.map(({ name, sha256 }) => [name, sha256.length]),
      [["./plugin.ts", 64]]
    )
    const placed = trace.filter(({ type }) => type === "PodScheduled")
    assert.isTrue(placed.length === 8 && placed.every(({ node }) => node.startsWith("cheap-")))
  })

  it("does not run otherwise", async () => {
    const { code, stderr } = await run("simulate", scenario('["./plugin.ts"]'), "--quiet")
    assert.strictEqual(code, 2)
    assert.include(stderr, "spec.layers: is code (./plugin.ts): with --allow-layers it runs, as you")
    const compared = await run("compare", "releases", scenario('["./plugin.ts"]'))
    assert.strictEqual(compared.code, 2)
    assert.include(compared.stderr, "spec.layers")
  })

  for (const name of ["../plugin.ts", "/tmp/plugin.ts", "a/../../plugin.ts", "./plugin.yaml"]) {
    it(`names no file elsewhere: ${name}`, async () => {
      const { code, stderr } = await run("simulate", scenario(JSON.stringify([name])), "--quiet", "--allow-layers")
      assert.strictEqual(code, 2)
      assert.include(stderr, `spec.layers[0]: found "${name}", expected a file`)
    })
  }
})

describe("a file of --layers without a layer of ports", () => {
  const cases: ReadonlyArray<readonly [what: string, code: string, expected: RegExp]> = [
    ["throws", 'throw new Error("no licence")', /throws\.mjs: cannot be loaded: no licence/],
    ["exports nothing by default", "export const layer = 1", /default: is required: export default defineLayers\(…\)/],
    [
      "exports a function",
      "export default () => {}",
      /default: found .*, expected a Layer: export default defineLayers/
    ],
    [
      "provides a tag that no world reads",
      'class Mine extends Context.Service()("mine/SchedulerPlugin") {}\nexport default Layer.succeed(Mine, {})',
      /default: provides "mine\/SchedulerPlugin", which is not a port of a world, expected Store, PodRuntimes, .*; did you mean "SchedulerPlugins"\?/
    ],
    [
      "provides a service of another shape",
      'class Same extends Context.Service()("@rollcall/kubelet/PodRuntimes") {}\nexport default Layer.succeed(Same, { make: () => 1 })',
      /default: PodRuntimes: found \{ make \}, expected \{ of: \(machine\) => PodRuntime \}/
    ],
    [
      "fails",
      'class Same extends Context.Service()("@rollcall/kubelet/PodRuntimes") {}\nexport default Layer.effect(Same, Effect.fail(new Error("no pods today")))',
      /default: the layer cannot be built: no pods today/
    ],
    [
      "dies",
      'class Same extends Context.Service()("@rollcall/kubelet/PodRuntimes") {}\nexport default Layer.sync(Same, () => { throw new TypeError("oh") })',
      /default: the layer cannot be built: oh/
    ]
  ]
  const effect = new URL("../node_modules/effect/dist/index.js", import.meta.url).href
  for (const [what, code, expected] of cases) {
    it(`${what}: says so, and rehearses nothing`, async () => {
      const file = join(folder, `${what.replaceAll(" ", "-")}.mjs`)
      writeFileSync(file, `import { Context, Effect, Layer } from "${effect}"\n${code}\n`)
      const out = join(folder, "result.json")
      const { code: exit, stderr } = await rehearse("-o", "json", "--out", out, "--layers", file)
      assert.strictEqual(exit, 2, stderr)
      assert.match(stderr, expected)
      assert.isFalse(existsSync(out))
    })
  }

  it("does not exist: reports that", async () => {
    const { code, stderr } = await rehearse("--layers", join(folder, "nowhere.ts"))
    assert.strictEqual(code, 2)
    assert.match(stderr, /nowhere\.ts: cannot be loaded: Cannot find module/)
  })
})
