import { assert, describe, it } from "vitest"
import { entriesOf, planOf, run } from "./run.ts"

const labels = { app: "db" }
const database = (className?: string) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default" },
  spec: {
    replicas: 2,
    serviceName: "db",
    podManagementPolicy: "Parallel",
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "topology.kubernetes.io/zone", labelSelector: { matchLabels: labels } }
            ]
          }
        },
        containers: [{ name: "c", image: "db" }]
      }
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          ...(className === undefined ? {} : { storageClassName: className })
        }
      }
    ]
  }
})

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "c", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}

const nodes = ["a", "b", "c"].map((zone) => ({ name: zone, count: 1, zone }))
const storageClass = (name: string, more: object) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: "csi.rollcall.dev",
  ...more
})

/** The zone letters of the first placements of the database's pods. */
const placesOf = (result: ReturnType<typeof run>): ReadonlyArray<string> =>
  entriesOf(result, "PodScheduled").map(({ node, pod }) => `${pod} ${node[0]}`)

describe("volumes in a rehearsal", () => {
  it("are in the zone of their first pod, and keep its successors there", () => {
    const spec = { duration: "30m", cluster: { nodes, objects: [database()] } }
    const before = run({ ...spec, duration: "1m" })
    const [first = ""] = placesOf(before).filter((place) => place.startsWith("db-0"))
    const zone = first.slice(-1)
    const result = run({
      ...spec,
      events: [
        { at: "1m", do: "poweroff", nodes: { zone } },
        { at: "10m", do: "out-of-service", nodes: { zone } }
      ]
    })
    const [why] = entriesOf(result, "PodUnschedulable").filter(({ at }) => at > 600)
    assert.include(why?.message, "didn't match PersistentVolume's node affinity")
    assert.isEmpty(placesOf(result).slice(2))
    assert.isUndefined(result.bugs)
  })

  it("can follow their pods to any zone that reaches them", () => {
    const anywhere = storageClass("net", { parameters: { reach: "everywhere" }, volumeBindingMode: "Immediate" })
    const result = run({
      duration: "15m",
      cluster: { nodes, objects: [anywhere, database("net")] },
      events: [
        { at: "1m", do: "poweroff", nodes: { zone: "a" } },
        { at: "1m", do: "poweroff", nodes: { zone: "b" } },
        { at: "8m", do: "out-of-service", nodes: { zone: "a" } },
        { at: "8m", do: "out-of-service", nodes: { zone: "b" } }
      ]
    })
    // Of the two that were in a, b or c one at least is back, in c.
    assert.isTrue(
      placesOf(result)
        .slice(2)
        .every((place) => place.endsWith(" c"))
    )
    assert.isAbove(entriesOf(result, "VolumeDetached").length, 0)
  })

  it("are spread over the zones if their class provisions them immediately", () => {
    const now = storageClass("now", { volumeBindingMode: "Immediate" })
    const result = run({ duration: "1m", cluster: { nodes, objects: [now, database("now")] } })
    const [one, other] = [...placesOf(result)].sort().map((place) => place.slice(-1))
    assert.isDefined(other)
    assert.notStrictEqual(one, other)
  })

  it("get a default class, with a warning that names it", () => {
    const plan = (className?: string, ...more: ReadonlyArray<object>) =>
      planOf({ duration: "1m", cluster: { nodes, objects: [...more, database(className)] } })
    const namesOf = ({ storage }: ReturnType<typeof plan>) => storage?.classes.map(({ metadata }) => metadata.name)
    assert.deepStrictEqual(namesOf(plan()), ["standard"])
    assert.isEmpty(plan("standard").warnings)
    assert.deepStrictEqual(namesOf(plan("gp3")), ["standard", "gp3"])
    assert.match(plan("gp3").warnings.join(), /StorageClass gp3 is not given/)
    assert.deepStrictEqual(namesOf(plan("net", storageClass("net", {}))), [])
  })

  it("are refused themselves, with their path, where no class can have the name", () => {
    const objects = [{ ...claim, spec: { ...claim.spec, storageClassName: "Fast_SSD" } }]
    assert.throws(
      () => run({ duration: "1m", cluster: { nodes, objects } }),
      'spec.cluster.objects[0]: PersistentVolumeClaim "c" is invalid: spec.storageClassName: Invalid value: "Fast_SSD"'
    )
  })

  it("are refused with the set whose template of claims lacks a name", () => {
    const { spec, ...set } = database()
    const objects = [{ ...set, spec: { ...spec, volumeClaimTemplates: [{ spec: claim.spec }] } }]
    assert.throws(
      () => run({ duration: "1m", cluster: { nodes, objects } }),
      'spec.cluster.objects[0]: StatefulSet.apps "db" is invalid'
    )
  })

  it("are provisioned for generic ephemeral volumes", () => {
    const volumeClaimTemplate = {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
    }
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "job", namespace: "default" },
      spec: {
        containers: [{ name: "c", image: "x" }],
        volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate } }]
      }
    }
    const result = run({ duration: "1m", cluster: { nodes, objects: [pod] } })
    assert.lengthOf(entriesOf(result, "PodScheduled"), 1)
    assert.isTrue(entriesOf(result, "PodReadyChanged").some(({ ready }) => ready))
    assert.isTrue(
      result.events.some(({ name, reason }) => name === "job-scratch" && reason === "ProvisioningSucceeded")
    )
  })

  it("are bound at the period of the flag", () => {
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "late", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
    }
    const looks = (period: string) =>
      run({
        duration: "1m",
        cluster: { nodes, objects: [claim] },
        flags: { "kube-controller-manager": [`--pvclaimbinder-sync-period=${period}`] }
      }).events.filter(({ reason }) => reason === "WaitForFirstConsumer").length
    assert.isAbove(looks("5s"), 2 * looks("20s"))
  })

  it("cost nothing without storage", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec: { containers: [{ name: "c", image: "x" }] }
    }
    const spec = { duration: "1m", cluster: { nodes, objects: [pod] } }
    assert.isUndefined(planOf(spec).storage)
    const clients = run(spec).summary.clients.map(({ client }) => client)
    assert.include(clients, "replicaset-controller")
    assert.notInclude(clients, "persistent-volume-binder")
    assert.notInclude(clients, "ephemeral-volume-controller")
  })
})

describe("a snapshot of claims without their volumes", () => {
  const node = (zone: string) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `n-${zone}`, labels: { "topology.kubernetes.io/zone": zone } }
  })
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "data-db-0",
      namespace: "default",
      uid: "00000000-0000-4000-8000-000000000001",
      annotations: { "pv.kubernetes.io/bind-completed": "yes" }
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "gp3",
      volumeName: "pvc-1"
    },
    status: { phase: "Bound" }
  }
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "db-0", namespace: "default", labels, ownerReferences: [] },
    spec: {
      nodeName: "n-b",
      containers: [{ name: "c", image: "db" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }]
    },
    status: { phase: "Running" }
  }
  const files = {
    "snapshot.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [node("a"), node("b"), claim, pod] })
  }

  it("gets volumes where their pods are, with a warning", () => {
    const plan = planOf({ duration: "1m", cluster: { snapshot: ["snapshot.json"] } }, { files })
    assert.match(plan.warnings.join(), /the volumes of 1 claim are not in the snapshot/)
    const [volume] = plan.snapshot.filter(({ kind }) => kind === "PersistentVolume")
    assert.deepInclude(volume?.object.metadata, { name: "pvc-1" })
    assert.include(JSON.stringify(volume?.object), '"operator":"In","values":["b"]')
  })

  it("keeps every claim", () => {
    const result = run({ duration: "1m", cluster: { snapshot: ["snapshot.json"] } }, { files })
    assert.isEmpty(result.events.filter(({ reason }) => reason === "ClaimLost" || reason === "ClaimMisbound"))
    assert.isEmpty(entriesOf(result, "PodDeleted"))
  })

  it("gets the claims that only its pods refer to", () => {
    const snapshotFiles = {
      "snapshot.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [node("a"), node("b"), pod] })
    }
    const plan = planOf({ duration: "1m", cluster: { snapshot: ["snapshot.json"] } }, { files: snapshotFiles })
    const [claimed] = plan.snapshot.filter(({ kind }) => kind === "PersistentVolumeClaim")
    assert.strictEqual(claimed?.object.metadata.name, "data-db-0")
    const result = run({ duration: "1m", cluster: { snapshot: ["snapshot.json"] } }, { files: snapshotFiles })
    assert.isEmpty(result.events.filter(({ kind }) => kind === "PersistentVolumeClaim"))
  })
})
