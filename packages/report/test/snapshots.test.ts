import { assert, describe, it } from "vitest"
import { renderTable } from "../src/index.ts"
import { rehearseSpec } from "./run.ts"

const owner = (kind: string, name: string) => ({ apiVersion: "apps/v1", kind, name, uid: name, controller: true })
const nodes = ["a", "b"].map((name) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "topology.kubernetes.io/zone": `zone-${name}` } }
}))
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: app }] }
})
const pod = (name: string, app: string, node: string, of: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: name, labels: { app }, ownerReferences: [of] },
  spec: { nodeName: node, ...template(app).spec },
  status: { phase: "Running" }
})
const set = (kind: string, app: string, name: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "shop", uid: name },
  spec: { replicas, serviceName: name, selector: { matchLabels: { app } }, template: template(app) }
})
const pods = [
  pod("web-1-a", "web", "a", owner("ReplicaSet", "web-1")),
  pod("web-1-b", "web", "b", owner("ReplicaSet", "web-1")),
  pod("db-0", "db", "b", owner("StatefulSet", "db"))
]

const tableOf = (fault: string, items: ReadonlyArray<object>): string =>
  renderTable(
    rehearseSpec(
      {
        duration: "15m",
        cluster: { snapshot: ["snapshot.json"] },
        events: [{ at: "1m", fault, nodes: { names: ["b"] } }]
      },
      { files: { "snapshot.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [...nodes, ...items] }) } }
    )
  )

describe("the moves of pods of a snapshot", () => {
  it("is described by the pods' owners, which are not in the trace", () => {
    const table = tableOf("crash", [set("ReplicaSet", "web", "web-1", 2), set("StatefulSet", "db", "db", 1), ...pods])
    assert.match(table, /web-1-b +b +taint-eviction +web-1-\w+ /)
    assert.match(table, /db-0, deleted at [\d:.]+, still Terminating at the end/)
  })

  it("is unknown if the snapshot lacks the owner", () => {
    const table = tableOf("partition", pods)
    assert.match(table, /db-0 .* not known: the snapshot lacks StatefulSet\/db/)
    assert.notMatch(table, / not replaced$/m)
  })
})
