import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { TopologyHint } from "../../src/index.ts"
import { topologyPolicyNames } from "../../src/manager/policies.ts"
import { isTopologyPolicyName, maskOf, mergeOf, narrowest, parseTopologyPolicyOptions } from "../../src/rules.ts"

const machine = maskOf([0, 1])
const hint = (preferred: boolean, ...ids: ReadonlyArray<number>): TopologyHint => ({ mask: maskOf(ids), preferred })

describe("a policy of the topology manager", () => {
  const merged = (policy: Parameters<typeof mergeOf>[0], ...cpu: ReadonlyArray<TopologyHint>) =>
    mergeOf(policy, machine, narrowest)([{ cpu }])

  it("has a name", () => {
    assert.isTrue(topologyPolicyNames.every(isTopologyPolicyName))
    assert.isFalse(isTopologyPolicyName("strict"))
  })

  it("none ignores hints and admits all pods", () => {
    assert.deepStrictEqual(merged("none", hint(true, 0)), { hint: { mask: undefined, preferred: false }, admit: true })
    assert.isTrue(merged("none").admit)
  })

  it("best-effort admits all pods", () => {
    assert.deepStrictEqual(merged("best-effort", hint(false, 0, 1)), { hint: hint(false, 0, 1), admit: true })
    assert.deepStrictEqual(merged("best-effort", hint(true, 1)), { hint: hint(true, 1), admit: true })
  })

  it("restricted admits preferred hints, also on several nodes", () => {
    assert.deepStrictEqual(merged("restricted", hint(true, 0, 1)), { hint: hint(true, 0, 1), admit: true })
    assert.deepStrictEqual(merged("restricted", hint(false, 1)), { hint: hint(false, 1), admit: false })
  })

  it("single-numa-node admits preferred hints on one node", () => {
    assert.deepStrictEqual(merged("single-numa-node", hint(false, 0), hint(true, 1)), {
      hint: hint(true, 1),
      admit: true
    })
    const refused = { hint: { mask: undefined, preferred: false }, admit: false }
    assert.deepStrictEqual(merged("single-numa-node", hint(true, 0, 1)), refused)
    assert.deepStrictEqual(merged("single-numa-node", hint(false, 0)), refused)
  })

  it("single-numa-node sets no affinity if there is only one node, or no preference", () => {
    const anywhere = { hint: { mask: undefined, preferred: true }, admit: true }
    assert.deepStrictEqual(mergeOf("single-numa-node", maskOf([0]), narrowest)([{ cpu: [hint(true, 0)] }]), anywhere)
    assert.deepStrictEqual(mergeOf("single-numa-node", machine, narrowest)([{ cpu: null }]), anywhere)
  })
})

describe("topologyManagerPolicyOptions", () => {
  const parsed = (options: Readonly<Record<string, string>>) => Result.merge(parseTopologyPolicyOptions(options))

  it("are off and 8 nodes by default", () => {
    assert.deepStrictEqual(parsed({}), { preferClosestNumaNodes: false, maxAllowableNumaNodes: 8 })
    assert.deepStrictEqual(parsed({ "prefer-closest-numa-nodes": "true", "max-allowable-numa-nodes": "16" }), {
      preferClosestNumaNodes: true,
      maxAllowableNumaNodes: 16
    })
    assert.deepStrictEqual(parsed({ "prefer-closest-numa-nodes": "F", "max-allowable-numa-nodes": "8" }), {
      preferClosestNumaNodes: false,
      maxAllowableNumaNodes: 8
    })
  })

  it("are refused in the kubelet's words", () => {
    const nodes = "max-allowable-numa-nodes"
    const unreadable = `unable to convert policy option to integer "${nodes}": strconv.Atoi: parsing`
    const tooFew = `the minimum value of "${nodes}" should not be less than 8`
    const refusals: ReadonlyArray<readonly [name: string, text: string, message: string]> = [
      [
        "prefer-closest-numa-nodes",
        "yes",
        'bad value for option "prefer-closest-numa-nodes": strconv.ParseBool: parsing "yes": invalid syntax'
      ],
      [nodes, "7", tooFew],
      [nodes, "-9", tooFew],
      [nodes, "+-9", `${unreadable} "+-9": invalid syntax`],
      [nodes, "9a", `${unreadable} "9a": invalid syntax`],
      [nodes, "a9", `${unreadable} "a9": invalid syntax`],
      [nodes, "1.5", `${unreadable} "1.5": invalid syntax`],
      [nodes, "9223372036854775808", `${unreadable} "9223372036854775808": value out of range`],
      ["most", "1", 'unknown Topology Manager Policy option: "most"']
    ]
    for (const [name, text, message] of refusals) assert.strictEqual(parsed({ [name]: text }), message)
    assert.deepInclude(parsed({ [nodes]: "9223372036854775807" }), { preferClosestNumaNodes: false })
  })
})
