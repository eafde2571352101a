import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { missingFlags } from "../src/plan/missingFlags.ts"
import type { PodsContext } from "../src/podsForDeletion.ts"

const context: PodsContext = { nowMs: 0, daemonSetError: () => undefined }

const podOf = (kind: string | undefined, volumes: Pod["spec"]["volumes"] = []): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    namespace: "ns",
    ...(kind === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind, name: "o", uid: "u", controller: true }] })
  },
  spec: { containers: [], volumes },
  status: { phase: "Running" }
})

const daemonPod = podOf("DaemonSet")
const podWithLocalStorage = podOf("ReplicaSet", [{ name: "d", emptyDir: {} }])

describe("missingFlags", () => {
  it("returns the flags that are needed, and no more", () => {
    const all = missingFlags([daemonPod, podWithLocalStorage, podOf(undefined)], context)
    assert.deepStrictEqual(all, ["--ignore-daemonsets", "--delete-emptydir-data", "--force"])
    assert.deepStrictEqual(missingFlags([daemonPod], context), ["--ignore-daemonsets"])
    assert.deepStrictEqual(missingFlags([podWithLocalStorage, daemonPod], { ...context, ignoreDaemonsets: true }), [
      "--delete-emptydir-data"
    ])
    assert.deepStrictEqual(missingFlags([podOf("ReplicaSet")], context), [])
  })

  it("returns none where no flags help", () => {
    const unreadable = { ...context, daemonSetError: () => ({ notFound: false, message: "no rights" }) }
    assert.deepStrictEqual(missingFlags([daemonPod, podOf(undefined)], unreadable), [])
  })
})
