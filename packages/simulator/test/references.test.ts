import { assert, describe, it } from "vitest"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

const referring = (name: string, kind: "configMapRef" | "secretRef", object: string) =>
  podWithoutOwner(name, "a-0", { containers: [{ name: "c", image: "x", envFrom: [{ [kind]: { name: object } }] }] })

const map = (name: string, namespace = "default") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace }
})

/** The pods that become ready within a minute. */
const readyOf = (objects: ReadonlyArray<unknown>, events: ReadonlyArray<unknown> = []) =>
  entriesOf(run({ duration: "1m", cluster: { nodes: [{ name: "a" }], objects }, events }), "PodReadyChanged").map(
    ({ pod }) => pod
  )

describe("a pod that refers to a missing object", () => {
  it("runs in a rehearsal that has no objects of the kind, as it would from a snapshot", () => {
    assert.deepStrictEqual(readyOf([referring("p", "configMapRef", "cm"), referring("q", "secretRef", "s")]), [
      "p",
      "q"
    ])
  })

  it("is held in one that has", () => {
    const objects = [map("other"), referring("p", "configMapRef", "cm"), referring("q", "secretRef", "s")]
    assert.deepStrictEqual(readyOf(objects), ["q"])
  })

  it("runs if only another namespace has objects of the kind", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } }
    const objects = [namespace, map("other", "elsewhere"), referring("p", "configMapRef", "cm")]
    assert.deepStrictEqual(readyOf(objects), ["p"])
  })

  it("runs once an event creates the object", () => {
    const events = [{ at: "20s", do: "apply", objects: [map("cm")] }]
    assert.deepStrictEqual(readyOf([referring("p", "configMapRef", "cm")], events), ["p"])
    assert.deepStrictEqual(
      readyOf([referring("p", "configMapRef", "cm")], [{ at: "20s", do: "apply", objects: [map("x")] }]),
      []
    )
  })
})

describe("a claim whose volume is a device", () => {
  it("holds the pod that mounts it as a file system", () => {
    const readyAs = (volumeMode: string) => {
      const shared = { volumeMode, storageClassName: "standard", accessModes: ["ReadWriteOnce"] }
      const volume = {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "pv" },
        spec: { ...shared, capacity: { storage: "1Gi" }, csi: { driver: "d", volumeHandle: "h" } }
      }
      const claim = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data", namespace: "default" },
        spec: { ...shared, resources: { requests: { storage: "1Gi" } } }
      }
      const containers = [{ name: "c", image: "x", volumeMounts: [{ name: "v", mountPath: "/v" }] }]
      const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }]
      return readyOf([volume, claim, podWithoutOwner("p", "", { nodeName: undefined, containers, volumes })])
    }
    assert.deepStrictEqual(readyAs("Filesystem"), ["p"])
    assert.deepStrictEqual(readyAs("Block"), [])
  })
})
