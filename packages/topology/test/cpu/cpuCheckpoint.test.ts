import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { cpuStateText, restoreCpuState } from "../../src/cpu/cpuCheckpoint.ts"
import type { CpuState } from "../../src/index.ts"
import { cpus } from "./pods.ts"

const stateOf = (
  shared: string,
  containers: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  pods: Readonly<Record<string, string>> = {}
): CpuState => ({
  shared: cpus(shared),
  containers: new Map(
    Object.entries(containers).map(([uid, owned]) => [
      uid,
      new Map(Object.entries(owned).map(([name, text]) => [name, cpus(text)]))
    ])
  ),
  pods: new Map(Object.entries(pods).map(([uid, text]) => [uid, cpus(text)]))
})

const restoreOrThrow = (text: string, policy = "static"): CpuState => Result.getOrThrow(restoreCpuState(text, policy))
const refusal = (text: string, policy = "static"): string =>
  Result.getOrThrow(Result.flip(restoreCpuState(text, policy)))

describe("cpu_manager_state", () => {
  it("is written byte for byte as a kubelet writes it", () => {
    const uid = "28c11c89-3493-4972-bb67-7090b9d75e0d"
    const samples: ReadonlyArray<readonly [text: string, policy: string, state: CpuState]> = [
      ['{"policyName":"none","defaultCpuSet":"","checksum":1353318690}', "none", stateOf("")],
      ['{"policyName":"static","defaultCpuSet":"0-63","checksum":1058907510}', "static", stateOf("0-63")],
      [
        `{"policyName":"static","defaultCpuSet":"0-1,6-13,18-23","entries":{"${uid}":{"mytestclient":"2-3,14-15","mytestclient2":"4-5,16-17"}},"checksum":1684933537}`,
        "static",
        stateOf("0-1,6-13,18-23", { [uid]: { mytestclient2: "4-5,16-17", mytestclient: "2-3,14-15" } })
      ]
    ]
    for (const [text, policy, state] of samples) {
      assert.strictEqual(cpuStateText(policy, state), text)
      assert.strictEqual(cpuStateText(policy, restoreOrThrow(text, policy)), text)
    }
  })

  it("contains pod-level CPUs, if the kubelet manages them", () => {
    const state = stateOf("0-2", { a: { c: "3-4" } }, { a: "3-6" })
    assert.deepStrictEqual(restoreOrThrow(cpuStateText("static", state, true)), state)
    assert.deepStrictEqual(restoreOrThrow(cpuStateText("static", state)).pods, new Map())
  })

  it("reads pod-level entries that a kubelet wrote", () => {
    const text = JSON.stringify({
      policyName: "static",
      defaultCpuSet: "1-2",
      entries: { pod1: { container1: "5-6", container2: "3-4" } },
      podEntries: { pod2: { cpuSet: "7-9" } },
      checksum: 2284712151
    })
    assert.deepStrictEqual(
      restoreOrThrow(text),
      stateOf("1-2", { pod1: { container1: "5-6", container2: "3-4" } }, { pod2: "7-9" })
    )
  })

  it("is refused when it was changed by hand", () => {
    const text = cpuStateText("static", stateOf("0-2,5-11", { a: { c: "3-4" } }))
    for (const [from, to] of [
      ["3-4", "3"],
      ["5-11", "5-10"],
      ['"c"', '"d"'],
      ["entries", "entrees"]
    ] as const) {
      assert.strictEqual(refusal(text.replace(from, to)), "checkpoint is corrupted")
    }
    assert.strictEqual(refusal(text.slice(0, -4)), "checkpoint is corrupted")
    assert.strictEqual(refusal(""), "unexpected end of JSON input")
  })

  it("passes without a checksum, as in old files", () => {
    assert.deepStrictEqual(restoreOrThrow('{"policyName":"static","defaultCpuSet":"0-3"}'), stateOf("0-3"))
    assert.deepStrictEqual(restoreOrThrow('{"policyName":"static","defaultCpuSet":"0-3","checksum":0}'), stateOf("0-3"))
  })

  it("is refused under another policy", () => {
    assert.strictEqual(
      refusal('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'),
      'configured policy "static" differs from state checkpoint policy "none"'
    )
  })

  it("is refused with invalid CPU sets", () => {
    const head = '"policyName":"static","checksum":0'
    assert.strictEqual(
      refusal(`{${head},"defaultCpuSet":"x"}`),
      'could not parse default cpu set "x": strconv.Atoi: parsing "x": invalid syntax'
    )
    assert.strictEqual(
      refusal(`{${head},"defaultCpuSet":"1","entries":{"a":{"c":"4-2"}}}`),
      'could not parse cpuset "4-2" for container "c" in pod "a": invalid range "4-2" (4 > 2)'
    )
  })

  it("of the first format uses container ids", () => {
    const text = '{"policyName":"none","defaultCpuSet":"","checksum":3242152201}'
    assert.deepStrictEqual(restoreOrThrow(text, "none"), stateOf(""))
    const old = '{"policyName":"static","defaultCpuSet":"0-2","entries":{"id1":"3-4","id2":"5"}}'
    assert.strictEqual(
      refusal(old),
      "failed to migrate checkpoint from v1 to v2: containerID 'id1' not found in initial containers list"
    )
    const names = new Map([
      ["id1", { podUid: "a", containerName: "c" }],
      ["id2", { podUid: "a", containerName: "d" }]
    ])
    assert.deepStrictEqual(
      Result.getOrThrow(restoreCpuState(old, "static", (id) => names.get(id))),
      stateOf("0-2", { a: { c: "3-4", d: "5" } })
    )
  })
})
