import type { KindName, Lease, Node } from "@rollcall/api"
import { initialHealth } from "@rollcall/machines"
import { assert, describe, it } from "vitest"
import { silentNodes } from "../src/snapshot/silentNodes.ts"
import { run } from "./run.ts"

const SNAPSHOT_TIME = "2026-01-01T00:10:00Z"
const snapshotMs = Date.UTC(2026, 0, 1, 0, 10)
const timeBefore = (seconds: number) => new Date(snapshotMs - seconds * 1000).toISOString().replace(/\.000Z$/, "Z")

const node = (name: string, status = "True"): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "topology.kubernetes.io/zone": "zone-a" } },
  status: { conditions: [{ type: "Ready", status, reason: "KubeletReady", lastHeartbeatTime: timeBefore(200) }] }
})

const lease = (name: string, secondsAgo: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: timeBefore(secondsAgo).replace("Z", ".000000Z") }
})

const listed = (...objects: ReadonlyArray<Node | Lease>) =>
  objects.map((object) => ({ kind: (object.kind ?? "Node") as KindName, object }))

describe("nodes that had fallen silent when a snapshot was taken", () => {
  const names = (...objects: ReadonlyArray<Node | Lease>) => [...silentNodes(listed(...objects), snapshotMs).names]

  it("are those without a heartbeat for longer than a healthy kubelet takes", () => {
    const well = [node("well"), lease("well", 0)]
    assert.deepStrictEqual(names(...well, node("late"), lease("late", 15)), [])
    assert.deepStrictEqual(names(...well, node("silent"), lease("silent", 16)), ["silent"])
  })

  it("are not those that are already Unknown, nor those without a Lease", () => {
    assert.deepStrictEqual(names(node("well"), lease("well", 0), node("lost", "Unknown"), lease("lost", 90)), [])
    assert.deepStrictEqual(names(node("well"), lease("well", 0), node("bare")), [])
  })

  it("are judged relative to the latest heartbeat, because the snapshot's clock may be ahead", () => {
    const { allForSeconds, names } = silentNodes(
      listed(node("a"), lease("a", 61), node("b"), lease("b", 70), node("c"), lease("c", 90)),
      snapshotMs
    )
    assert.deepStrictEqual([...names], ["c"])
    assert.strictEqual(allForSeconds, 61)
  })

  it("are not known if the time of the snapshot is not recorded", () => {
    assert.strictEqual(
      silentNodes(listed(node("a"), lease("a", 0), node("b"), lease("b", 90)), undefined).names.size,
      0
    )
  })

  it("start switched off, with a warning", () => {
    assert.strictEqual(initialHealth(node("b"), true)?.isSilent, true)
    const snapshot = {
      apiVersion: "v1",
      kind: "List",
      metadata: {
        annotations: { "rollcall.dev/snapshot-taken": SNAPSHOT_TIME, "rollcall.dev/snapshot-kinds": "Pod=0" }
      },
      items: [node("a"), lease("a", 2), node("b"), lease("b", 22)]
    }
    const expect = [
      { name: "b", condition: { node: "b", type: "Ready", status: "Unknown" }, from: "1m" },
      { name: "a", condition: { node: "a", type: "Ready", status: "True" }, from: "0s" }
    ]
    const result = run(
      { duration: "3m", cluster: { snapshot: ["c.json"] }, expect },
      { files: { "c.json": JSON.stringify(snapshot) } }
    )
    assert.deepStrictEqual(
      result.expectations.map(({ held }) => held),
      [true, true]
    )
    assert.include(result.warnings.join("\n"), "1 node of the snapshot had fallen silent, though still Ready (b)")
  })
})
