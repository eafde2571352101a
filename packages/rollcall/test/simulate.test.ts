import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { ScenarioDocument } from "@rollcall/simulator"
import { assert, describe, it } from "vitest"
import { isInvalidInput, simulate } from "../src/index.ts"

const scenario = fileURLToPath(new URL("../../../examples/zone-outage.yaml", import.meta.url))

const spec: ScenarioDocument["spec"] = {
  duration: "3m",
  cluster: { nodes: [{ name: "a", count: 2, zone: "zone-a" }] },
  expect: [{ name: "a node crashes", condition: { node: "a-0", type: "Ready", status: "Unknown" }, by: "3m" }]
}
const document: ScenarioDocument = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "two-nodes" },
  spec
}

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => assert.fail("nothing was refused"),
    (error: Error) => error
  )

describe("simulate", () => {
  it("rehearses a file, with the files that it names, and tells it in each format", async () => {
    const { failed, report, result } = await simulate(scenario, { until: "5m" })
    assert.strictEqual(result.spec.durationSeconds, 300)
    assert.isNotEmpty(failed)
    assert.isTrue(report().startsWith("zone-outage"))
    assert.isTrue(report("html").startsWith("<!doctype html>"))
    assert.isTrue(report("svg").startsWith("<svg"))
    assert.strictEqual(JSON.parse(report("json")).summary.traceDigest, result.summary.traceDigest)
  })

  it("gives the same result for a text and for a value", async () => {
    const ofValue = await simulate(document)
    const ofText = await simulate(JSON.stringify(document, undefined, 2))
    assert.strictEqual(ofText.result.summary.traceDigest, ofValue.result.summary.traceDigest)
    assert.deepStrictEqual(
      ofValue.failed.map(({ name }) => name),
      ["a node crashes"]
    )
  })

  it("changes fields, and reads the manifests of a text", async () => {
    const text = readFileSync(scenario, "utf8")
    const manifest = readFileSync(new URL("../../../examples/manifests/web.yaml", import.meta.url), "utf8")
    const { result } = await simulate(text, {
      files: { "manifests/web.yaml": manifest },
      set: ["spec.duration=2m", "spec.expect=[]"],
      seed: 3,
      release: "1.35"
    })
    assert.deepStrictEqual(result.spec, { release: "1.35", seed: 3, durationSeconds: 120 })
  })

  it("says where a scenario is wrong", async () => {
    const error = await rejection(simulate({ ...document, spec: { ...spec, duraton: "3m" } } as ScenarioDocument))
    if (!isInvalidInput(error)) return assert.fail(String(error))
    assert.include(error.message, "spec.duraton")
    assert.strictEqual(error.problems[0]?.file, "scenario.yaml")
    const missing = await rejection(simulate("no-such.yaml"))
    assert.isTrue(isInvalidInput(missing))
    assert.include(missing.message, "no-such.yaml")
    const two = await rejection(simulate(`${JSON.stringify(document)}\n---\n${JSON.stringify(document)}\n`))
    assert.include(two.message, "holds 2 scenarios, expected one")
    assert.isFalse(isInvalidInput(new Error("another")))
  })

  it("ends when its signal is aborted", async () => {
    const controller = new AbortController()
    const long = { ...document, spec: { ...spec, duration: "1000h", expect: [] } }
    const running = rejection(simulate(long, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 300)
    assert.instanceOf(await running, Error)
  })
})
