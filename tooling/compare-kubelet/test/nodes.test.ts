import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parseLife } from "../src/Life.ts"
import type { NodeLife } from "../src/nodes/NodeLife.ts"
import { nodeDifferences } from "../src/nodes/nodeDifferences.ts"
import { rehearseNode } from "../src/nodes/rehearseNode.ts"
import { remainingNodes } from "../src/nodes/remainingNodes.ts"
import { nodeShapes } from "../src/nodes/shapes.ts"

const folder = fileURLToPath(new URL("../fixtures/nodes", import.meta.url))
const lives = readdirSync(folder)
  .toSorted()
  .map((name) => parseLife<NodeLife>(readFileSync(`${folder}/${name}`, "utf8")))

describe("a node with Rollcall's kubelet, beside one with a genuine kubelet of v1.36.2", () => {
  it("has been compared in every shape", () => {
    for (const shape of nodeShapes) {
      const { node: _, requests, ...recorded } = lives.find(({ name }) => name === shape.name) ?? { requests: [] }
      assert.deepStrictEqual(recorded, JSON.parse(JSON.stringify(shape)))
      assert.isNotEmpty(requests)
    }
    assert.lengthOf(lives, nodeShapes.length)
  })

  it.each(lives.map((life) => [life.name, life] as const))("asks the same in the shape %s", (name, life) => {
    assert.deepStrictEqual(nodeDifferences(life, rehearseNode(life)), remainingNodes[name]?.lines ?? [])
  })
})

describe("the comparison of nodes", () => {
  const [restarts] = lives.filter(({ name }) => name === "node-restarts")

  it("finds each write that is missing after the registration", () => {
    assert.isDefined(restarts)
    const writes = restarts.requests.flatMap(({ at, verb }, index) =>
      ["get", "list", "watch"].includes(verb) || at < 12 ? [] : [index]
    )
    assert.isNotEmpty(writes)
    for (const index of writes) {
      const requests = restarts.requests.filter((_, at) => at !== index)
      assert.isNotEmpty(nodeDifferences({ ...restarts, requests }, restarts), `${index}`)
    }
  })
})
