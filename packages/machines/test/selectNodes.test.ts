import type { Node } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type Candidate, compareNames, selectNodes, zoneOfNode } from "../src/faults/selectNodes.ts"

const node = (name: string, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels }
})

const candidate = (name: string, zone: string, group?: string): Candidate => ({
  name,
  group,
  node: node(name, { "topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name })
})

const allCandidates = [
  candidate("a-10", "zone-a", "a"),
  candidate("a-2", "zone-a", "a"),
  candidate("a-1", "zone-a", "a"),
  candidate("b-0", "zone-b", "b"),
  candidate("lone", "zone-b"),
  { name: "unregistered", group: "b", node: undefined }
]
const indexOfName = (name: string) => allCandidates.findIndex((other) => other.name === name)
const select = (selection: Parameters<typeof selectNodes>[0], rankOf = indexOfName) =>
  selectNodes(selection, allCandidates, rankOf)

describe("the order of names", () => {
  const sorted = (...names: ReadonlyArray<string>) => names.toSorted(compareNames)

  it("counts numbers as numbers", () => {
    assert.deepStrictEqual(sorted("a-10", "a-9", "b-1", "a-1"), ["a-1", "a-9", "a-10", "b-1"])
    assert.deepStrictEqual(sorted("n2", "n10", "n1x", "n1"), ["n1", "n1x", "n2", "n10"])
  })

  it("is a total order where numbers are equal but not their text", () => {
    assert.deepStrictEqual(sorted("a-1", "a-01"), ["a-01", "a-1"])
    assert.strictEqual(compareNames("a-1", "a-1"), 0)
    assert.isBelow(compareNames("1", "a"), 0)
  })
})

describe("the zone of a node", () => {
  it("is its label, of which the beta one wins", () => {
    assert.strictEqual(zoneOfNode(node("n", { "topology.kubernetes.io/zone": "z" })), "z")
    assert.strictEqual(
      zoneOfNode(node("n", { "topology.kubernetes.io/zone": "z", "failure-domain.beta.kubernetes.io/zone": "older" })),
      "older"
    )
    assert.strictEqual(zoneOfNode(node("n", {})), "")
    assert.strictEqual(zoneOfNode(undefined), "")
  })
})

describe("a selection of nodes", () => {
  it("is all nodes by default, in the order of names", () => {
    assert.deepStrictEqual(select({}), ["a-1", "a-2", "a-10", "b-0", "lone", "unregistered"])
  })

  it("selects by name, group, zone and selector", () => {
    assert.deepStrictEqual(select({ names: ["lone", "a-2", "nobody"] }), ["a-2", "lone"])
    assert.deepStrictEqual(select({ group: "b" }), ["b-0", "unregistered"])
    assert.deepStrictEqual(select({ zone: "zone-b" }), ["b-0", "lone"])
    assert.deepStrictEqual(select({ selector: "kubernetes.io/hostname in (a-1, b-0)" }), ["a-1", "b-0"])
    assert.deepStrictEqual(select({ selector: { "kubernetes.io/hostname": "a-1" } }), ["a-1"])
    assert.deepStrictEqual(select({ selector: { matchLabels: { "topology.kubernetes.io/zone": "zone-b" } } }), [
      "b-0",
      "lone"
    ])
  })

  it("combines all criteria", () => {
    assert.deepStrictEqual(select({ group: "a", names: ["a-1", "b-0"], zone: "zone-a" }), ["a-1"])
    assert.deepStrictEqual(select({ group: "a", zone: "zone-b" }), [])
  })

  it("takes `count` nodes in the order of the seed, and lists them in the order of names", () => {
    assert.deepStrictEqual(select({ group: "a", count: 2 }), ["a-2", "a-10"])
    assert.deepStrictEqual(
      select({ group: "a", count: 2 }, (name) => -indexOfName(name)),
      ["a-1", "a-2"]
    )
    assert.deepStrictEqual(select({ group: "a", count: 9 }), ["a-1", "a-2", "a-10"])
  })

  it("takes a fraction, rounded up", () => {
    assert.lengthOf(select({ group: "a", fraction: 0.34 }), 2)
    assert.lengthOf(select({ group: "a", fraction: 0.33 }), 1)
    assert.lengthOf(select({ group: "a", fraction: 1 }), 3)
    assert.lengthOf(select({ group: "a", fraction: 0 }), 0)
  })
})
