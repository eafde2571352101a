import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf, type ObjectOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, object: object): ObjectOf<K> =>
  kindOf(kind).defaults(
    Effect.runSync(decodeObject(kind, { metadata: { name: "a", resourceVersion: "1" }, ...object }))
  )

const createFaults = <K extends KindName>(kind: K, object: object): ReadonlyArray<string> =>
  kindOf(kind).validation.create(read(kind, object)).map(fieldErrorText)

const updateFaults = <K extends KindName>(kind: K, object: object, old: object): ReadonlyArray<string> =>
  kindOf(kind).validation.update(read(kind, object), read(kind, old)).map(fieldErrorText)

const volume = {
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } }
}

const claim = {
  metadata: { name: "a", namespace: "n", resourceVersion: "1" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}

describe("persistent volumes", () => {
  it("pass with one source, a capacity and an access mode", () => {
    assert.deepStrictEqual(createFaults("PersistentVolume", volume), [])
    assert.deepStrictEqual(read("PersistentVolume", volume).status, { phase: "Pending" })
  })

  it("report missing fields and too many sources", () => {
    assert.deepStrictEqual(createFaults("PersistentVolume", {}), [
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      "spec: Required value: must specify a volume type"
    ])
    const spec = { ...volume.spec, nfs: {}, capacity: { storage: "0" }, accessModes: ["Sometimes"] }
    assert.deepStrictEqual(createFaults("PersistentVolume", { spec }), [
      'spec.accessModes: Unsupported value: "Sometimes": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      "spec.nfs: Forbidden: may not specify more than 1 volume type"
    ])
  })

  it("keep their source", () => {
    const moved = { spec: { ...volume.spec, hostPath: { path: "/other" } } }
    assert.match(
      updateFaults("PersistentVolume", moved, volume)[0] ?? "",
      /^spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n/
    )
  })
})

describe("inline volumes of attachments", () => {
  const attachment = (inlineVolumeSpec: object) => ({
    spec: { attacher: "a.b", nodeName: "n", source: { inlineVolumeSpec } }
  })
  const csi = { driver: "a.b", volumeHandle: "h" }
  const good = { accessModes: ["ReadWriteOnce"], csi }
  const at = "spec.source.inlineVolumeSpec"

  it("are volumes of CSI drivers", () => {
    assert.deepStrictEqual(createFaults("VolumeAttachment", attachment(good)), [])
    const local = { accessModes: ["ReadWriteOnce"], local: { path: "/a" }, nodeAffinity: {} }
    assert.deepStrictEqual(createFaults("VolumeAttachment", attachment(local)), [
      `${at}.csi: Required value: has to be specified in the context of inline volumes`,
      `${at}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes`,
      `${at}.nodeAffinity: Required value: Local volume requires node affinity`
    ])
  })

  it("have no fields of volumes that are bound", () => {
    const spec = {
      csi,
      capacity: { storage: "1Gi" },
      claimRef: { name: "c" },
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "s",
      volumeMode: "Block"
    }
    const only = "in the context of inline volumes"
    assert.deepStrictEqual(createFaults("VolumeAttachment", attachment(spec)), [
      `${at}.claimRef: Forbidden: may not be specified ${only}`,
      `${at}.capacity: Forbidden: may not be specified ${only}`,
      `${at}.accessModes: Required value`,
      `${at}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain ${only}`,
      `${at}.storageClassName: Forbidden: may not be specified ${only}`,
      `${at}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem ${only}`
    ])
  })

  it("have the defaults of their source, and are shown in Go's form", () => {
    const { spec } = read("VolumeAttachment", attachment({ iscsi: {}, capacity: { storage: "1500u" } }))
    assert.deepInclude(spec.source.inlineVolumeSpec?.iscsi ?? {}, { iscsiInterface: "default" })
    assert.deepStrictEqual(spec.source.inlineVolumeSpec?.capacity, { storage: "2m" })
    const [fault = ""] = updateFaults(
      "VolumeAttachment",
      attachment({ ...good, csi: { ...csi, driver: "c.d" } }),
      attachment(good)
    )
    assert.match(
      fault,
      /^spec: Invalid value: \{"Attacher":"a.b","Source":\{"PersistentVolumeName":null,"InlineVolumeSpec":/
    )
    assert.match(
      fault,
      /"RBD":null,"Quobyte":null,"ISCSI":null,"FlexVolume":null,.*"CSI":\{"Driver":"c.d","VolumeHandle":"h"/
    )
  })
})

describe("amounts", () => {
  it("are rounded up to thousandths", () => {
    const of = (storage: string) => read("PersistentVolume", { spec: { ...volume.spec, capacity: { storage } } })
    assert.deepStrictEqual(
      ["1n", "0.0001", "1500u", "1Gi"].map((storage) => of(storage).spec?.capacity?.storage),
      ["1m", "1m", "2m", "1Gi"]
    )
    const container = { name: "a", resources: { limits: { cpu: "100u" } } }
    const pod = read("Pod", { spec: { containers: [container], overhead: { cpu: "1n" } } })
    assert.deepStrictEqual(pod.spec?.containers[0]?.resources?.requests, { cpu: "1m" })
    assert.deepStrictEqual(pod.spec?.overhead, { cpu: "1m" })
    assert.deepStrictEqual(read("Node", { status: { capacity: { cpu: "1n" } } }).status?.allocatable, { cpu: "1m" })
    const amounts = { allocatedResources: { k: "1.00001" }, resources: { requests: { k: "1n" } } }
    const inStatus = { allocatedResources: { k: "1001m" }, resources: { requests: { k: "1m" } } }
    const status = {
      containerStatuses: [amounts],
      initContainerStatuses: [amounts],
      ephemeralContainerStatuses: [amounts]
    }
    const made = read("Pod", { spec: { containers: [] }, status: { ...amounts, ...status } }).status
    const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = made ?? {}
    for (const of of [made, ...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses])
      assert.deepInclude(of, inStatus)
    assert.lengthOf([...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses], 3)
  })
})

describe("recycled volumes of a host", () => {
  it("are not its root, however it is written", () => {
    const faults = (path: string) =>
      createFaults("PersistentVolume", {
        spec: { ...volume.spec, hostPath: { path }, persistentVolumeReclaimPolicy: "Recycle" }
      }).filter((fault) => fault.startsWith("spec.persistentVolumeReclaimPolicy"))
    for (const path of ["/", "//", "/.", "/a/..", "/a/./../.."]) assert.lengthOf(faults(path), 1, path)
    for (const path of ["/a", "a/..", "/a/../b", "."]) assert.lengthOf(faults(path), 0, path)
  })
})

describe("claims", () => {
  it("require storage and a mode", () => {
    assert.deepStrictEqual(createFaults("PersistentVolumeClaim", claim), [])
    assert.deepStrictEqual(createFaults("PersistentVolumeClaim", { metadata: claim.metadata }), [
      "spec.accessModes: Required value: at least 1 access mode is required",
      "spec.resources[storage]: Required value"
    ])
  })

  it("may be bound, and may only grow once they are", () => {
    const bound = { ...claim, spec: { ...claim.spec, volumeName: "v" } }
    const grown = { ...bound, spec: { ...bound.spec, resources: { requests: { storage: "2Gi" } } } }
    assert.deepStrictEqual(updateFaults("PersistentVolumeClaim", bound, claim), [])
    assert.lengthOf(updateFaults("PersistentVolumeClaim", grown, bound), 1)
    assert.deepStrictEqual(updateFaults("PersistentVolumeClaim", grown, { ...bound, status: { phase: "Bound" } }), [])
    const classed = (name: string) => ({ ...claim, spec: { ...claim.spec, storageClassName: name } })
    // The default of a later day.
    assert.deepStrictEqual(updateFaults("PersistentVolumeClaim", classed("x"), claim), [])
    assert.match(
      updateFaults("PersistentVolumeClaim", classed("x"), classed("y"))[0] ?? "",
      /^spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName/
    )
  })

  it("keep any API group of their source once they have one", () => {
    const from = (apiGroup: string | undefined) => {
      const kind = apiGroup === undefined ? "PersistentVolumeClaim" : "S"
      const dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name: "s" }
      return { ...claim, spec: { ...claim.spec, dataSource } }
    }
    const fieldsOf = (faults: ReadonlyArray<string>) => faults.map((fault) => fault.slice(0, fault.indexOf(":")))
    assert.deepStrictEqual(fieldsOf(createFaults("PersistentVolumeClaim", from("a/b"))), ["spec.dataSource.apiGroup"])
    assert.deepStrictEqual(fieldsOf(updateFaults("PersistentVolumeClaim", from("a/b"), from("a.b"))), ["spec"])
    assert.deepStrictEqual(fieldsOf(updateFaults("PersistentVolumeClaim", from("a/b"), from(undefined))), [
      "spec.dataSource.apiGroup",
      "spec"
    ])
  })
})

describe("classes", () => {
  it("keep their parameters", () => {
    const storageClass = { provisioner: "example.com/p" }
    assert.deepStrictEqual(createFaults("StorageClass", storageClass), [])
    assert.deepStrictEqual(updateFaults("StorageClass", { provisioner: "example.com/q" }, storageClass), [
      'provisioner: Invalid value: "example.com/q": field is immutable'
    ])
    assert.deepStrictEqual(updateFaults("RuntimeClass", { handler: "b" }, { handler: "a" }), [
      'handler: Invalid value: "b": field is immutable'
    ])
  })

  it("report unknown values", () => {
    assert.deepStrictEqual(createFaults("StorageClass", { provisioner: "p", volumeBindingMode: "Later" }), [
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"'
    ])
    assert.deepStrictEqual(createFaults("CSIDriver", { spec: { volumeLifecycleModes: ["Never"] } }), [
      'spec.volumeLifecycleModes: Unsupported value: "Never": supported values: "Persistent", "Ephemeral"'
    ])
  })
})

describe("endpoint slices", () => {
  const slice = { metadata: claim.metadata, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{}] }

  it("have addresses of their type, and ports with names", () => {
    assert.deepStrictEqual(createFaults("EndpointSlice", slice), [])
    assert.deepStrictEqual(read("EndpointSlice", slice).ports, [{ name: "", protocol: "TCP" }])
    assert.deepStrictEqual(createFaults("EndpointSlice", { ...slice, endpoints: [{ addresses: ["fd00::1"] }, {}] }), [
      'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address',
      "endpoints[1].addresses: Required value: must contain at least 1 address"
    ])
    assert.deepStrictEqual(updateFaults("EndpointSlice", { ...slice, endpoints: [], addressType: "FQDN" }, slice), [
      'addressType: Invalid value: "FQDN": field is immutable'
    ])
  })
})

describe("kinds with rules of their own", () => {
  const driver = (spec: object) => createFaults("CSIDriver", { spec })

  it("bound the periods of a driver and of its tokens", () => {
    assert.deepStrictEqual(
      driver({
        nodeAllocatableUpdatePeriodSeconds: 9,
        tokenRequests: [{ audience: "a", expirationSeconds: 599 }, { audience: "a" }]
      }),
      [
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds"
      ]
    )
  })

  it("keep a class's driver, whose name may have a prefix", () => {
    const attributes = { driverName: "a/b", parameters: { a: "b" } }
    assert.deepStrictEqual(createFaults("VolumeAttributesClass", attributes), [])
    assert.deepStrictEqual(updateFaults("VolumeAttributesClass", { ...attributes, driverName: "c" }, attributes), [
      "driverName: Forbidden: updates to driverName are forbidden."
    ])
  })

  it("check no metadata of a budget, which only the rule for all kinds checks", () => {
    const budget = (name: string, spec: object) =>
      createFaults("PodDisruptionBudget", { metadata: { name, namespace: "n" }, spec })
    assert.deepStrictEqual(budget("-A", { minAvailable: 1 }), [])
    assert.deepStrictEqual(budget("a/b", { minAvailable: 1 }), [])
    assert.deepStrictEqual(budget("a/b", { minAvailable: "101%" }), [
      'spec.minAvailable: Invalid value: "101%": must not be greater than 100%'
    ])
  })

  it("give a StatefulSet a DNS label for its Service and complete its retention", () => {
    const labels = { app: "a" }
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } }
    const set = (spec: object) => ({
      metadata: { name: "s", namespace: "n", resourceVersion: "1" },
      spec: { selector: { matchLabels: labels }, template, ...spec }
    })
    const faults = createFaults("StatefulSet", set({ serviceName: "a.b" }))
    assert.match(faults.join(), /^spec.serviceName: Invalid value: "a.b": (a lowercase RFC 1123 label|must be)?/)
    assert.deepStrictEqual(updateFaults("StatefulSet", set({ serviceName: "a.b" }), set({ serviceName: "a.b" })), [])
    const { spec } = read("StatefulSet", set({ persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }))
    assert.deepStrictEqual(spec.persistentVolumeClaimRetentionPolicy, { whenScaled: "Delete", whenDeleted: "Retain" })
  })
})
