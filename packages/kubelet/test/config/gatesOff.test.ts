import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type FeatureGate, featureGatesOf, type ReleaseName, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { gatesWithoutEffect } from "../../src/config/gates.ts"
import { noKubeletSettings, resolveKubelet } from "../../src/index.ts"

const resolve = (name: ReleaseName, fields: Readonly<Record<string, unknown>>) =>
  resolveKubelet({ ...noKubeletSettings, base: { file: "k.yaml", path: "", fields } as never }, releases[name])

const refusal = (name: ReleaseName, fields: Readonly<Record<string, unknown>>): string => {
  const resolved = resolve(name, fields)
  return Result.isFailure(resolved) ? resolved.failure.problems.map(({ message }) => message).join() : "accepted"
}

const configOf = (name: ReleaseName, fields: Readonly<Record<string, unknown>>) =>
  Result.getOrThrow(resolve(name, fields)).config

describe("a feature gate that is off", () => {
  it("refuses the policy that needs it, in kubelet's words", () => {
    const policy = { topologyManagerPolicy: "restricted" }
    assert.strictEqual(
      refusal("1.26", { ...policy, featureGates: { TopologyManager: false } }),
      "invalid configuration: topologyManagerPolicy restricted requires feature gate TopologyManager"
    )
    assert.strictEqual(refusal("1.26", policy), "accepted")
    assert.strictEqual(
      refusal("1.26", { featureGates: { CPUManager: false } }),
      "cannot set feature gate CPUManager to false, feature is locked to true"
    )
    const cpu = { cpuManagerPolicyOptions: { "full-pcpus-only": "true" } }
    assert.strictEqual(
      refusal("1.31", { ...cpu, featureGates: { CPUManagerPolicyOptions: false } }),
      'CPU Manager policy options map[full-pcpus-only:true] require feature gates "CPUManager", "CPUManagerPolicyOptions" enabled'
    )
  })

  it("refuses options of the topology manager that are alpha or unknown in the release", () => {
    const closest = { topologyManagerPolicyOptions: { "prefer-closest-numa-nodes": "true" } }
    const largest = { topologyManagerPolicyOptions: { "max-allowable-numa-nodes": "10" } }
    const on = { featureGates: { TopologyManagerPolicyOptions: true } }
    const alpha =
      'topology manager policy alpha-level options not enabled, but option "prefer-closest-numa-nodes" provided'
    assert.strictEqual(refusal("1.26", { ...closest, ...on }), alpha)
    const both = { featureGates: { TopologyManagerPolicyOptions: true, TopologyManagerPolicyAlphaOptions: true } }
    assert.strictEqual(refusal("1.26", { ...closest, ...both }), "accepted")
    assert.strictEqual(
      refusal("1.26", { ...largest, ...both }),
      'unknown Topology Manager Policy option: "max-allowable-numa-nodes"'
    )
    assert.strictEqual(
      refusal("1.31", { ...largest, featureGates: { TopologyManagerPolicyBetaOptions: false } }),
      'topology manager policy beta-level options not enabled, but option "max-allowable-numa-nodes" provided'
    )
    for (const name of ["1.31", "1.36"] as const) {
      assert.deepStrictEqual(
        [closest, largest].map((fields) => refusal(name, fields)),
        ["accepted", "accepted"]
      )
    }
  })

  it("leaves out the manager that it enables", () => {
    const reserved = [{ numaNode: 0, limits: { memory: "100Mi" } }]
    const fields = { memoryManagerPolicy: "Static", reservedMemory: reserved }
    assert.strictEqual(configOf("1.31", fields).memoryManagerPolicy, "Static")
    const off = { ...fields, featureGates: { MemoryManager: false } }
    assert.strictEqual(configOf("1.31", off).memoryManagerPolicy, "None")
  })

  it("is named in a warning if no rule uses it", () => {
    const resolved = Result.getOrThrow(resolve("1.31", { featureGates: { WatchList: true } }))
    assert.deepStrictEqual(resolved.warnings, ["k.yaml: featureGates.WatchList is not supported and has no effect"])
  })
})

describe("each gate of the table", () => {
  const packages = fileURLToPath(new URL("../../..", import.meta.url))
  const tables = ["gateHistories.ts", "FeatureGates.ts", "gates.ts", "unsupportedGates.ts"]
  const sources = readdirSync(packages).flatMap((name) => {
    const src = join(packages, name, "src")
    return readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !tables.some((table) => file.endsWith(table)))
      .map((file) => readFileSync(join(src, file), "utf8"))
  })
  const text = sources.join("\n")

  it("is used by a rule, or listed as a gate without effect", () => {
    const unheeded = (Object.keys(featureGatesOf(releases["1.36"])) as ReadonlyArray<FeatureGate>).filter(
      (gate) => !new RegExp(`\\b${gate}\\b`).test(text)
    )
    assert.sameMembers(unheeded, [...gatesWithoutEffect])
  })
})
