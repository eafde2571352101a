import { assert, describe, it } from "@effect/vitest"
import type { ApiRequest } from "@rollcall/cluster"
import { refusal } from "@rollcall/cluster/testing"
import * as Result from "effect/Result"
import { TestCluster, tolerationsFor } from "./TestCluster.ts"

const forbiddenError = refusal(403, "Forbidden", "not yours")

/** A zone of three nodes, whose controllers are refused what is asked for. */
const startRefusing = (isRefused: (request: ApiRequest) => boolean): TestCluster => {
  const cluster = new TestCluster()
  for (const name of ["a-0", "a-1", "a-2"]) {
    cluster.addNode(name)
    cluster.addPod(`pod-${name}`, name, tolerationsFor(30))
  }
  cluster.start()
  cluster.runTo(100)
  cluster.api.intercept = (request) => (isRefused(request) ? Result.fail(forbiddenError) : undefined)
  cluster.silence("a-0")
  cluster.runTo(200)
  return cluster
}

const isWrite = ({ verb }: ApiRequest) => verb === "patch" || verb === "update" || verb === "delete"

describe("controllers whose requests are refused", () => {
  it("tell that a node's status cannot be written", () => {
    const { errors } = startRefusing((request) => request.kind === "Node" && isWrite(request))
    assert.include(errors, "Error updating node: not yours")
    assert.include(
      errors,
      "Update health of Node from Controller error, Skipping - no pods will be evicted: timed out waiting for the condition"
    )
  })

  it("tell that a node can neither be written nor read", () => {
    const { errors } = startRefusing(
      (request) => request.kind === "Node" && (isWrite(request) || request.verb === "get")
    )
    assert.include(errors, "Failed while getting a Node to retry updating node health. Probably Node was deleted")
    assert.include(errors, "Update health of Node from Controller error, Skipping - no pods will be evicted: not yours")
  })

  it("tell that a node cannot be tainted", () => {
    const { errors } = startRefusing(({ kind, verb }) => kind === "Node" && verb === "patch")
    const told = errors.find((text) => text.startsWith("Unhandled Error: unable to taint"))
    assert.match(
      told ?? errors.join("\n"),
      /^Unhandled Error: unable to taint \[&Taint\{Key:node\.kubernetes\.io\/unreachable,Value:,Effect:\w+,TimeAdded:\S+,\}\] unresponsive Node "a-0": not yours$/
    )
  })

  it("tell that pods can neither be marked nor evicted", () => {
    const { errors } = startRefusing((request) => request.kind === "Pod" && isWrite(request))
    assert.include(errors, "Unable to mark all pods NotReady on node; queuing for retry: not yours")
    assert.include(errors, "TaintEvictionController: timed worker failed: not yours")
  })

  it("log that a pod of a deleted node cannot be deleted", () => {
    const cluster = startRefusing((request) => request.kind === "Pod" && isWrite(request))
    cluster.addPod("orphan", "gone")
    cluster.runTo(400)
    assert.include(cluster.errors, "Failed to delete orphaned pod: not yours")
  })

  it("say nothing where nothing fails", () => {
    assert.deepStrictEqual(startRefusing(() => false).errors, [])
  })
})
