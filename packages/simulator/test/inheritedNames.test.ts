import { assert, describe, it } from "vitest"
import { run } from "./run.ts"

/** Every JavaScript object inherits it, and Kubernetes accepts it as a name of anything. */
const name = "constructor"
const own = { name, namespace: name }
const labels = { [name]: "a", toString: "b" }
const templateOf = (spec: object) => ({
  metadata: { labels },
  spec: { containers: [{ name, image: "x", resources: { requests: { cpu: "10m" } } }], ...spec }
})

const objects = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: own, data: { [name]: "c", toString: "t" } },
  { apiVersion: "v1", kind: "ResourceQuota", metadata: own, spec: { hard: { pods: "50", [`count/${name}`]: "3" } } },
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name }, provisioner: name },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: own,
    spec: { storageClassName: name, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  },
  { apiVersion: "v1", kind: "Service", metadata: own, spec: { selector: labels, ports: [{ name, port: 80 }] } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: own,
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: templateOf({
        nodeSelector: { [name]: "a" },
        tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 }]
      })
    }
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: own,
    spec: { selector: { matchLabels: labels }, template: templateOf({ nodeSelector: { valueOf: "b" } }) }
  }
]

describe("a cluster whose names are those of members of every object", () => {
  it("is rehearsed as any other", () => {
    const { bugs = [], summary } = run({
      duration: "5m",
      cluster: {
        nodes: [
          { name, count: 2, zone: name, labels: { [name]: "a" } },
          { name: "b", zone: "b", labels: { valueOf: "b" } }
        ],
        objects
      },
      events: [{ at: "1m", for: "3m", fault: "partition", nodes: { zone: name } }]
    })
    assert.deepStrictEqual(bugs, [])
    const { byZone, total } = summary.evictions
    assert.deepStrictEqual(byZone, { [name]: total })
    assert.isAtLeast(total, 3)
  })
})
