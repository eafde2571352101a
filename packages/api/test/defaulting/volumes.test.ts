import { assert, describe, it } from "vitest"
import { completeSource, completeVolume } from "../../src/defaulting/volumes.ts"
import { kindOf, type PodSpec, type Volume } from "../../src/index.ts"

const completed = (source: object): unknown => {
  const { name: _, ...rest } = completeVolume({ name: "v", ...source } as Volume)
  return rest
}

describe("defaults of volumes", () => {
  it.each([
    [{ iscsi: { iqn: "i" } }, { iscsi: { iqn: "i", iscsiInterface: "default" } }],
    [{ rbd: { user: "me" } }, { rbd: { user: "me", pool: "rbd", keyring: "/etc/ceph/keyring" } }],
    [
      { azureDisk: { diskName: "d", readOnly: true } },
      { azureDisk: { diskName: "d", readOnly: true, cachingMode: "ReadWrite", fsType: "ext4", kind: "Shared" } }
    ],
    [
      { azureDisk: { cachingMode: "", fsType: "", kind: "" } },
      { azureDisk: { cachingMode: "", fsType: "", kind: "", readOnly: false } }
    ],
    [{ scaleIO: {} }, { scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" } }],
    [{ image: { reference: "a/b:1" } }, { image: { reference: "a/b:1", pullPolicy: "IfNotPresent" } }],
    [{ image: { reference: "a/b" } }, { image: { reference: "a/b", pullPolicy: "Always" } }],
    [
      { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
      {
        downwardAPI: {
          items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels", apiVersion: "v1" } }],
          defaultMode: 420
        }
      }
    ],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "t" } }, { downwardAPI: { items: [] } }] } },
      {
        projected: {
          sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }, { downwardAPI: { items: [] } }],
          defaultMode: 420
        }
      }
    ],
    [
      { ephemeral: { volumeClaimTemplate: {} } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: "Filesystem" } } } }
    ],
    [{ hostPath: { path: "/" } }, { hostPath: { path: "/", type: "" } }]
  ])("%j", (given, expected) => {
    assert.deepStrictEqual(completed(given), expected)
    const complete = completeVolume({ name: "v", ...expected } as Volume)
    assert.strictEqual(completeVolume(complete), complete)
  })

  it("hold for the sources of PersistentVolumes, too", () => {
    assert.deepStrictEqual(completeSource({ iscsi: {}, nfs: {} }), { iscsi: { iscsiInterface: "default" }, nfs: {} })
  })
})

describe("defaults of workloads", () => {
  it("make each claim template of a StatefulSet a whole claim", () => {
    const set = kindOf("StatefulSet").defaults({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "s" },
      spec: { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }] }
    } as never)
    assert.deepStrictEqual(set.spec.volumeClaimTemplates, [
      {
        metadata: { name: "data" },
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
        apiVersion: "v1",
        kind: "PersistentVolumeClaim"
      }
    ])
  })

  it.each([
    [{ serviceAccountName: "a" }, "a"],
    [{ serviceAccount: "b" }, "b"],
    [{ serviceAccountName: "a", serviceAccount: "b" }, "a"]
  ])("write the service account of %j under both names", (names, expected) => {
    const { spec } = kindOf("ReplicaSet").defaults({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "r" },
      spec: { selector: {}, template: { spec: { containers: [], ...names } as PodSpec } }
    })
    assert.include(spec.template?.spec, { serviceAccountName: expected, serviceAccount: expected })
  })

  it("set what a variable's sources leave out", () => {
    const valueFrom = { fileKeyRef: { volumeName: "v", path: "p", key: "k" } }
    const { spec } = kindOf("Pod").defaults({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", env: [{ name: "A", valueFrom }] }] }
    } as never)
    assert.deepStrictEqual(spec.containers[0]?.env?.[0]?.valueFrom as unknown, {
      fileKeyRef: { volumeName: "v", path: "p", key: "k", optional: false }
    })
  })
})
