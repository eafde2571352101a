import type { KubeObject } from "@rollcall/api"
import { cancellable, type WatchSink } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { ModelledStorage, type StorageOptions } from "../src/ModelledStorage.ts"

/** Sets up storage whose watches the test feeds. */
const setUp = (machineOf: StorageOptions["machineOf"] = () => undefined) => {
  const errors: Array<string> = []
  const { runUntil, timers } = makeVirtualTime(0, { handleError: (source) => void errors.push(source) })
  const sinks = new Map<string, WatchSink>()
  const connection = {
    send: cancellable(() => {}),
    watch: (request: { readonly kind: string }, sink: WatchSink) => {
      sinks.set(request.kind, sink)
      return () => {}
    }
  }
  const storage = new ModelledStorage({ timers, connection, machineOf } as unknown as StorageOptions)
  const event = (kind: string, object: object, type: "ADDED" | "MODIFIED" | "DELETED" = "ADDED") =>
    sinks.get(kind)?.events([{ type, object: { apiVersion: "v1", kind, ...object } as KubeObject }])
  const claimed = (volumeName: string, uid: string) => ({
    metadata: { name: "data", namespace: "default", uid },
    spec: { volumeName }
  })
  return { storage, errors, runUntil, event, claimed }
}

describe("modelled storage", () => {
  it("updates all other machines when one throws, and that one again later", () => {
    const looked: Array<string> = []
    const { claimed, errors, event, runUntil } = setUp((name) => {
      looked.push(name)
      if (name === "odd" && looked.length < 3) throw new Error("by hand")
      return undefined
    })
    const pod = (name: string) => ({
      metadata: { name, namespace: "default", uid: name },
      spec: {
        nodeName: name,
        containers: [{ name: "c" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
      }
    })
    event("PersistentVolumeClaim", claimed("", "1"))
    for (const name of ["odd", "even"]) event("Pod", pod(name))
    runUntil(10_000)
    assert.deepStrictEqual(looked.slice(0, 4), ["odd", "even", "odd", "even"])
    assert.deepStrictEqual(errors, ["modelled storage"])
  })

  it("keeps the files of a volume until it is deleted, for any claim that is bound to it", () => {
    const { claimed, event, storage } = setUp()
    const files = () => storage.filesOfClaim("default/data")
    assert.isUndefined(files())
    event("PersistentVolumeClaim", claimed("", "1"))
    assert.isUndefined(files(), "it is not bound")
    event("PersistentVolumeClaim", claimed("pv", "1"), "MODIFIED")
    const first = files()
    assert.isDefined(first)
    event("PersistentVolumeClaim", claimed("pv", "1"), "DELETED")
    assert.isUndefined(files())
    event("PersistentVolumeClaim", claimed("pv", "2"))
    assert.strictEqual(files(), first, "the volume was retained")
    event("PersistentVolume", { metadata: { name: "pv" }, spec: {} }, "DELETED")
    assert.notStrictEqual(files(), first)
  })
})
