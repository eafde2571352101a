import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type SplitBrain, splitBrain } from "../src/invariants/splitBrain.ts"

const pod = (uid: string, nodeName: string, state: "waiting" | "running" | "stopped", kind = "StatefulSet"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "db-0",
    namespace: "default",
    uid,
    ownerReferences: [{ apiVersion: "apps/v1", kind, name: "db", uid: "db", controller: true }]
  },
  spec: { nodeName, containers: [] },
  status: {
    phase: state === "waiting" ? "Pending" : "Running",
    containerStatuses: [
      {
        name: "c",
        ready: state === "running",
        restartCount: 0,
        image: "i",
        imageID: "",
        state: state === "stopped" ? { terminated: { exitCode: 0 } } : { running: {} }
      }
    ]
  }
})

/** An invariant over machines whose containers are given by node, as `uid`s that run there. */
const bugsOf = (machines: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const bugs: Array<string> = []
  const found: Array<SplitBrain> = []
  const running = new Map(Object.entries(machines))
  const invariant = splitBrain(
    (name) => ({
      kubelet: { running: true, pods: () => (running.get(name) ?? []).map((uid) => ({ uid, hasContainers: true })) }
    }),
    (message) => bugs.push(message),
    (one) => found.push(one)
  )
  return { bugs, found, running, see: invariant.pod ?? (() => {}), tick: invariant.tick ?? (() => {}) }
}

describe("one identity on two machines", () => {
  it("is reported once if the older pod still runs after its object was force-deleted", () => {
    const { bugs, found, running, see, tick } = bugsOf({ a: ["u1"], b: ["u2"] })
    see(undefined, pod("u1", "a", "running"), 1)
    see(pod("u1", "a", "running"), undefined, 2)
    see(undefined, pod("u2", "b", "waiting"), 3)
    tick(3)
    assert.isEmpty(found)
    see(pod("u2", "b", "waiting"), pod("u2", "b", "running"), 4)
    tick(5)
    assert.deepStrictEqual(found, [{ namespace: "default", pod: "db-0", nodes: ["a", "b"] }])
    assert.isEmpty(bugs)
    running.set("a", [])
    tick(6)
    assert.strictEqual(found.length, 1)
  })

  it("is a bug if the first kubelet had reported that its pod stopped", () => {
    const { bugs, see } = bugsOf({ a: ["u1"], b: ["u2"] })
    see(undefined, pod("u1", "a", "running"), 1)
    see(pod("u1", "a", "stopped"), undefined, 2)
    see(undefined, pod("u2", "b", "running"), 3)
    assert.strictEqual(bugs.length, 1)
    assert.match(bugs[0] ?? "", /default\/db-0 runs on a and on b/)
  })

  it("is not reported if the first pod has stopped, or the pods are not a StatefulSet's", () => {
    const stopped = bugsOf({ a: [], b: ["u2"] })
    stopped.see(undefined, pod("u1", "a", "running"), 1)
    stopped.see(pod("u1", "a", "running"), undefined, 2)
    stopped.see(undefined, pod("u2", "b", "running"), 3)
    assert.isEmpty(stopped.found)
    const others = bugsOf({ a: ["u1"], b: ["u2"] })
    others.see(undefined, pod("u1", "a", "running", "ReplicaSet"), 1)
    others.see(pod("u1", "a", "running", "ReplicaSet"), pod("u2", "b", "running", "ReplicaSet"), 2)
    assert.isEmpty(others.found)
  })
})
