import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { replacementPod, replacementPolicyOf } from "../src/plan/replacementPolicy.ts"

const podOf = (
  owner: string | undefined,
  name = "web-0",
  phase: NonNullable<Pod["status"]>["phase"] = "Running"
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind: owner, name: "web", uid: "web", controller: true }] })
  },
  spec: { containers: [] },
  status: { phase }
})

const neverReplaced = (why: string) => ({ _tag: "Never", why }) as const

describe("when a controller replaces a deleted pod", () => {
  it("is at its deletion for most controllers, and after its removal for a StatefulSet, under its ordinal", () => {
    for (const owner of ["ReplicaSet", "Job", "ReplicationController", "Custom"]) {
      assert.deepStrictEqual(replacementPolicyOf(podOf(owner), false), { _tag: "OnDeletion" })
    }
    for (const [name, ordinal] of [
      ["web-0", 0],
      ["web-12", 12],
      ["web-3-7", 7],
      ["web-4-x", 0],
      ["web", 0]
    ] as const) {
      assert.deepStrictEqual(
        replacementPolicyOf(podOf("StatefulSet", name), false),
        { _tag: "AfterRemoval", ordinal },
        name
      )
    }
  })

  it("is never for a pod without a controller, or of a Node", () => {
    assert.deepStrictEqual(
      replacementPolicyOf(podOf(undefined), false),
      neverReplaced("it has no controller to recreate it")
    )
    assert.deepStrictEqual(
      replacementPolicyOf(podOf("Node"), false),
      neverReplaced("its kubelet runs it as a static pod")
    )
  })

  it("is never elsewhere for a DaemonSet's, and not at all without the DaemonSet", () => {
    const pod = podOf("DaemonSet")
    assert.deepStrictEqual(
      replacementPolicyOf(pod, false),
      neverReplaced("its DaemonSet recreates it on the same node")
    )
    assert.deepStrictEqual(replacementPolicyOf(pod, true), neverReplaced("its DaemonSet no longer exists"))
  })

  // A StatefulSet and a DaemonSet delete a terminated pod and recreate it; a ReplicaSet and a Job have counted it already.
  it("is never for a terminated pod, unless its controller recreates those", () => {
    for (const phase of ["Succeeded", "Failed"] as const) {
      for (const owner of ["Job", "ReplicaSet"]) {
        assert.deepStrictEqual(
          replacementPolicyOf(podOf(owner, "web-0", phase), false),
          neverReplaced("it had already terminated")
        )
      }
      const again = replacementPolicyOf(podOf("StatefulSet", "web-1", phase), false)
      assert.deepStrictEqual(again, { _tag: "AfterRemoval", ordinal: 1 })
      const put = replacementPolicyOf(podOf("DaemonSet", "web-0", phase), false)
      assert.deepStrictEqual(put, neverReplaced("its DaemonSet recreates it on the same node"))
    }
  })
})

describe("a replacement pod", () => {
  it("has its predecessor's metadata and spec, without node and status", () => {
    const metadata = {
      namespace: "default",
      generateName: "web-",
      labels: { app: "web" },
      annotations: { note: "x" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "web", controller: true }]
    }
    const old: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        ...metadata,
        name: "web-x",
        uid: "1",
        resourceVersion: "7",
        deletionTimestamp: "2026-01-01T00:00:00Z"
      },
      spec: { nodeName: "n1", priority: 5, containers: [{ name: "c" }] },
      status: { phase: "Running", podIP: "10.0.0.1", conditions: [{ type: "Ready", status: "True" }] }
    }
    assert.deepStrictEqual(replacementPod(old, "web-y", "2"), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name: "web-y", uid: "2" },
      spec: { priority: 5, containers: [{ name: "c" }] },
      status: { phase: "Pending" }
    })
    const bare: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [] } }
    assert.deepStrictEqual(replacementPod(bare, "b", "2").metadata, { name: "b", uid: "2" })
  })
})
