import { cancellable, type WatchSink } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { ModelledStorage, type StorageOptions } from "../src/ModelledStorage.ts"

describe("modelled storage", () => {
  it("updates all other machines when one throws, and that one again later", () => {
    const errors: Array<string> = []
    const { runUntil, timers } = makeVirtualTime(0, { handleError: (source) => void errors.push(source) })
    const sinks = new Map<string, WatchSink>()
    const looked: Array<string> = []
    const options = {
      timers,
      connection: {
        send: cancellable(() => {}),
        watch: (request: { readonly kind: string }, sink: WatchSink) => {
          sinks.set(request.kind, sink)
          return () => {}
        }
      },
      machineOf: (name: string) => {
        looked.push(name)
        if (name === "odd" && looked.length < 3) throw new Error("by hand")
        return undefined
      }
    } as unknown as StorageOptions
    const storage = new ModelledStorage(options)
    assert.isDefined(storage)
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data", namespace: "default" } }
    const pod = (name: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", uid: name },
      spec: {
        nodeName: name,
        containers: [{ name: "c" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
      }
    })
    sinks.get("PersistentVolumeClaim")?.events([{ type: "ADDED", object: claim }])
    sinks.get("Pod")?.events(["odd", "even"].map((name) => ({ type: "ADDED", object: pod(name) })))
    runUntil(10_000)
    assert.deepStrictEqual(looked.slice(0, 4), ["odd", "even", "odd", "even"])
    assert.deepStrictEqual(errors, ["modelled storage"])
  })
})
