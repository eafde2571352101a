import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { flagsThatHelp } from "../src/plan/flagsThatHelp.ts"
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

const daemon = podOf("DaemonSet")
const scratch = podOf("ReplicaSet", [{ name: "d", emptyDir: {} }])

describe("the flags that a refused drain lacks", () => {
  it("are those that it takes, and no more", () => {
    const all = flagsThatHelp([daemon, scratch, podOf(undefined)], context)
    assert.deepStrictEqual(all, ["--ignore-daemonsets", "--delete-emptydir-data", "--force"])
    assert.deepStrictEqual(flagsThatHelp([daemon], context), ["--ignore-daemonsets"])
    assert.deepStrictEqual(flagsThatHelp([scratch, daemon], { ...context, ignoreDaemonsets: true }), [
      "--delete-emptydir-data"
    ])
    assert.deepStrictEqual(flagsThatHelp([podOf("ReplicaSet")], context), [])
  })

  it("are none where they would not do", () => {
    const unreadable = { ...context, daemonSetError: () => ({ notFound: false, message: "no rights" }) }
    assert.deepStrictEqual(flagsThatHelp([daemon, podOf(undefined)], unreadable), [])
  })
})
