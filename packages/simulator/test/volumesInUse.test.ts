import { assert, describe, it } from "vitest"
import { entriesOf, run } from "./run.ts"

const driver = "csi.rollcall.dev"
/** The name that upstream gives the attachment of volume `h1` of this driver to node `b`. */
const ATTACHMENT = "csi-86e8f055f379eacc4906f7011a3cb940a2470642ceb179d4fc4809dc5e68654a"
const unique = `kubernetes.io/csi/${driver}^h1`
const node = (name: string, ready: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "topology.kubernetes.io/zone": "zone-a" } },
  status: { conditions: [{ type: "Ready", status: ready }], ...more }
})

/** A pod on `a` waits for a volume that is attached to `b`, a lost node whose pods were deleted. */
const snapshot = {
  apiVersion: "v1",
  kind: "List",
  items: [
    node("a", "True"),
    node("b", "Unknown", { volumesInUse: [unique], volumesAttached: [{ name: unique, devicePath: "" }] }),
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "v1", uid: "v1" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "c", uid: "c" },
        csi: { driver, volumeHandle: "h1" }
      },
      status: { phase: "Bound" }
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c", namespace: "default", uid: "c" },
      spec: { accessModes: ["ReadWriteOnce"], volumeName: "v1", resources: { requests: { storage: "1Gi" } } },
      status: { phase: "Bound" }
    },
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: ATTACHMENT },
      spec: { attacher: driver, nodeName: "b", source: { persistentVolumeName: "v1" } },
      status: { attached: true }
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default", uid: "p" },
      spec: {
        nodeName: "a",
        containers: [{ name: "c", image: "x" }],
        volumes: [{ name: "d", persistentVolumeClaim: { claimName: "c" } }]
      },
      status: { phase: "Pending" }
    }
  ]
}

describe("a node of a snapshot that reports volumes in use", () => {
  it("stops reporting them once its kubelet runs again, and they attach where a pod waits for them", () => {
    const result = run(
      {
        duration: "5m",
        cluster: { snapshot: ["c.json"] },
        events: [{ at: "1m", do: "boot", nodes: { names: ["b"] } }],
        expect: [{ name: "p runs", pod: { name: "p", state: "ready" }, by: "2m" }]
      },
      { files: { "c.json": JSON.stringify(snapshot) } }
    )
    assert.deepStrictEqual(
      entriesOf(result, "VolumeDetached").map(({ forced, node }) => [node, forced]),
      [["b", false]]
    )
    assert.isTrue(result.expectations[0]?.held)
  })
})
