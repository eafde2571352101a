import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { describeClaim, describeStorageClass, describeVolume } from "../src/describe/storage.ts"

/** The expected texts are the output of kubectl 1.32 for the same objects. */
const lines = (text: string) => text.split("\n").slice(0, -1)

describe("kubectl describe, of storage,", () => {
  it("shows a class", () => {
    const fast: StorageClass = {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "fast", annotations: { a: "b", c: "d" } },
      provisioner: "x.example.com",
      parameters: { type: "ssd", iops: "3" },
      allowVolumeExpansion: true,
      mountOptions: ["noatime", "discard"],
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: "topology.kubernetes.io/zone", values: ["zone-a", "zone-b"] },
            { key: "rack", values: ["r1"] }
          ]
        }
      ]
    }
    assert.deepStrictEqual(lines(describeStorageClass(fast, [], 0)), [
      "Name:                  fast",
      "IsDefaultClass:        No",
      "Annotations:           a=b,c=d",
      "Provisioner:           x.example.com",
      "Parameters:            iops=3,type=ssd",
      "AllowVolumeExpansion:  True",
      "MountOptions:",
      "  noatime",
      "  discard",
      "ReclaimPolicy:      Delete",
      "VolumeBindingMode:  Immediate",
      "AllowedTopologies:  ",
      "  Term 0:           topology.kubernetes.io/zone in [zone-a, zone-b]",
      "                    rack in [r1]",
      "Events:             <none>"
    ])
  })

  it("shows a volume with its node affinity and source", () => {
    const volume: PersistentVolume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "nf", finalizers: ["kubernetes.io/pv-protection"] },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany"],
        nfs: { path: "/x", server: "s" },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: "fast",
        volumeMode: "Filesystem",
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "a", operator: "In", values: ["b", "c"] },
                  { key: "d", operator: "Exists" }
                ]
              },
              { matchExpressions: [{ key: "e", operator: "Exists" }] }
            ]
          }
        }
      },
      status: { phase: "Available" }
    }
    assert.deepStrictEqual(lines(describeVolume(volume, [], 0)), [
      "Name:              nf",
      "Labels:            <none>",
      "Annotations:       <none>",
      "Finalizers:        [kubernetes.io/pv-protection]",
      "StorageClass:      fast",
      "Status:            Available",
      "Claim:             ",
      "Reclaim Policy:    Retain",
      "Access Modes:      RWX",
      "VolumeMode:        Filesystem",
      "Capacity:          1Gi",
      "Node Affinity:     ",
      "  Required Terms:  ",
      "    Term 0:        a in [b, c]",
      "                   d exists",
      "    Term 1:        e exists",
      "Message:           ",
      "Source:",
      "    Type:      NFS (an NFS mount that lasts the lifetime of a pod)",
      "    Server:    s",
      "    Path:      /x",
      "    ReadOnly:  false",
      "Events:        <none>"
    ])
  })

  it("shows a claim and the pods that use it", () => {
    const claim: PersistentVolumeClaim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: "data-db-0",
        namespace: "default",
        labels: { app: "db" },
        annotations: { "pv.kubernetes.io/bind-completed": "yes" },
        finalizers: ["kubernetes.io/pvc-protection"]
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "10Gi" } },
        storageClassName: "standard",
        volumeMode: "Filesystem",
        volumeName: "v"
      },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "10Gi" } }
    }
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "db-0" }, spec: { containers: [] } } as const
    assert.deepStrictEqual(lines(describeClaim(claim, [pod], [], 0)), [
      "Name:          data-db-0",
      "Namespace:     default",
      "StorageClass:  standard",
      "Status:        Bound",
      "Volume:        v",
      "Labels:        app=db",
      "Annotations:   pv.kubernetes.io/bind-completed: yes",
      "Finalizers:    [kubernetes.io/pvc-protection]",
      "Capacity:      10Gi",
      "Access Modes:  RWO",
      "VolumeMode:    Filesystem",
      "Used By:       db-0",
      "Events:        <none>"
    ])
  })
})
