import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { freshPod, replacingOf } from "../src/plan/replacing.ts"

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

const never = (why: string) => ({ _tag: "Never", why }) as const

describe("when another pod is made for one that goes", () => {
  it("is at once for most controllers, and once it is gone for a StatefulSet, under its ordinal", () => {
    for (const owner of ["ReplicaSet", "Job", "ReplicationController", "Custom"]) {
      assert.deepStrictEqual(replacingOf(podOf(owner), false), { _tag: "AtOnce" })
    }
    for (const [name, ordinal] of [
      ["web-0", 0],
      ["web-12", 12],
      ["web-3-7", 7],
      ["web-4-x", 0],
      ["web", 0]
    ] as const) {
      assert.deepStrictEqual(replacingOf(podOf("StatefulSet", name), false), { _tag: "OnceGone", ordinal }, name)
    }
  })

  it("is never for a pod without a controller, or of a node", () => {
    assert.deepStrictEqual(replacingOf(podOf(undefined), false), never("nobody creates it anew"))
    assert.deepStrictEqual(replacingOf(podOf("Node"), false), never("its kubelet keeps it"))
  })

  it("is never elsewhere for a DaemonSet's, and nowhere when the DaemonSet is gone", () => {
    const pod = podOf("DaemonSet")
    assert.deepStrictEqual(replacingOf(pod, false), never("its DaemonSet makes another on the same node"))
    assert.deepStrictEqual(replacingOf(pod, true), never("its DaemonSet is gone"))
  })

  // A StatefulSet and a DaemonSet delete what has ended and make it again; a ReplicaSet and a Job have counted it already.
  it("is never for a pod that has ended, unless its controller restarts what has ended", () => {
    for (const phase of ["Succeeded", "Failed"] as const) {
      for (const owner of ["Job", "ReplicaSet"]) {
        assert.deepStrictEqual(replacingOf(podOf(owner, "web-0", phase), false), never("it had ended"))
      }
      const again = replacingOf(podOf("StatefulSet", "web-1", phase), false)
      assert.deepStrictEqual(again, { _tag: "OnceGone", ordinal: 1 })
      const put = replacingOf(podOf("DaemonSet", "web-0", phase), false)
      assert.deepStrictEqual(put, never("its DaemonSet makes another on the same node"))
    }
  })
})

describe("the pod that comes in place of another", () => {
  it("has its template's metadata and spec, and nothing that happened to the other", () => {
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
    assert.deepStrictEqual(freshPod(old, "web-y", "2"), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name: "web-y", uid: "2" },
      spec: { priority: 5, containers: [{ name: "c" }] },
      status: { phase: "Pending" }
    })
    const bare: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [] } }
    assert.deepStrictEqual(freshPod(bare, "b", "2").metadata, { name: "b", uid: "2" })
  })
})
