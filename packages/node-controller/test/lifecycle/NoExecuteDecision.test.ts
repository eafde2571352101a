import type { Node, Taint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { decideNoExecute } from "../../src/rules.ts"
import { carriesNoExecutePair, notReadyNoExecute, unreachableNoExecute } from "../../src/Taints.ts"

const nodeOf = (taints?: ReadonlyArray<Taint>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  ...(taints === undefined ? {} : { spec: { taints } })
})

/** The same keys with another effect are other taints. */
const noSchedule = [notReadyNoExecute, unreachableNoExecute].map((taint) => ({ ...taint, effect: "NoSchedule" }))

describe("the NoExecute pair", () => {
  it("is removed from a node that is Ready", () => {
    assert.deepStrictEqual(decideNoExecute(nodeOf(), "True"), { kind: "reachable" })
    assert.deepStrictEqual(decideNoExecute(nodeOf([unreachableNoExecute]), "True"), { kind: "reachable" })
  })

  it("is exchanged at once where Ready changes between False and Unknown", () => {
    assert.deepStrictEqual(decideNoExecute(nodeOf([unreachableNoExecute]), "False"), {
      kind: "swap",
      add: notReadyNoExecute,
      remove: unreachableNoExecute
    })
    assert.deepStrictEqual(decideNoExecute(nodeOf([notReadyNoExecute]), "Unknown"), {
      kind: "swap",
      add: unreachableNoExecute,
      remove: notReadyNoExecute
    })
  })

  it("is queued in the zone, afresh by a node that has none of it", () => {
    for (const ready of ["False", "Unknown"]) {
      assert.deepStrictEqual(decideNoExecute(nodeOf(), ready), { kind: "queue", afresh: true }, ready)
      assert.deepStrictEqual(decideNoExecute(nodeOf(noSchedule), ready), { kind: "queue", afresh: true }, ready)
    }
    assert.deepStrictEqual(decideNoExecute(nodeOf([notReadyNoExecute]), "False"), { kind: "queue", afresh: false })
    assert.deepStrictEqual(decideNoExecute(nodeOf([unreachableNoExecute]), "Unknown"), { kind: "queue", afresh: false })
  })

  it("is left alone at a status that is none", () => {
    assert.deepStrictEqual(decideNoExecute(nodeOf([unreachableNoExecute]), "Maybe"), { kind: "none" })
  })

  it("is on a node with either of the two", () => {
    assert.isTrue(carriesNoExecutePair(nodeOf([unreachableNoExecute])))
    assert.isTrue(carriesNoExecutePair(nodeOf([notReadyNoExecute])))
    assert.isFalse(carriesNoExecutePair(nodeOf(noSchedule)))
    assert.isFalse(carriesNoExecutePair(nodeOf([])))
    assert.isFalse(carriesNoExecutePair(nodeOf()))
  })
})
