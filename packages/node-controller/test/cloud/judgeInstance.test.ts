import type { Node } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { CloudError } from "../../src/index.ts"
import { judgeInstance, shutdownTaint } from "../../src/rules.ts"

const nodeOf = (ready: string | undefined, tainted = false): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: { taints: tainted ? [shutdownTaint] : [] },
  status: {
    conditions: [
      { type: "MemoryPressure", status: ready === "True" ? "False" : "True" },
      ...(ready === undefined ? [] : [{ type: "Ready" as const, status: ready }])
    ]
  }
})

const exists = Result.succeed(true)
const existsNot = Result.succeed(false)
const queryFailed = Result.fail(new CloudError({ reason: "Unknown", message: "timeout" }))

describe("the machine of a node", () => {
  it("is not queried while the node is Ready, and its taint is removed", () => {
    assert.strictEqual(judgeInstance(nodeOf("True")), "nothing")
    assert.strictEqual(judgeInstance(nodeOf("True", true)), "removeTaint")
    assert.strictEqual(judgeInstance(nodeOf("True"), { exists: existsNot, shutdown: exists }), "nothing")
  })

  it("is queried while the node is not Ready: first whether it exists, then whether it is shut down", () => {
    for (const ready of ["False", "Unknown", undefined]) {
      assert.strictEqual(judgeInstance(nodeOf(ready)), "askExists", ready)
      assert.strictEqual(judgeInstance(nodeOf(ready), { exists: exists }), "askShutdown", ready)
    }
    const { status: _, ...bare } = nodeOf(undefined)
    assert.strictEqual(judgeInstance(bare), "askExists")
    assert.strictEqual(judgeInstance({ ...bare, status: {} }), "askExists")
  })

  it("that does not exist deletes its node; a failed query does not", () => {
    assert.strictEqual(judgeInstance(nodeOf("Unknown"), { exists: existsNot }), "delete")
    assert.strictEqual(judgeInstance(nodeOf("Unknown"), { exists: queryFailed }), "nothing")
  })

  it("that is shut down taints its node once; one that runs again leaves the taint until the node is Ready", () => {
    const judged = (tainted: boolean, shutdown: typeof exists | typeof queryFailed) =>
      judgeInstance(nodeOf("Unknown", tainted), { exists: exists, shutdown })
    assert.strictEqual(judged(false, exists), "addTaint")
    assert.strictEqual(judged(true, exists), "nothing")
    assert.strictEqual(judged(false, existsNot), "nothing")
    assert.strictEqual(judged(true, existsNot), "nothing")
    assert.strictEqual(judged(false, queryFailed), "nothing")
  })
})
