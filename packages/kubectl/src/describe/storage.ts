import {
  canonicalQuantity,
  type Event,
  isDefaultStorageClass,
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  sortedEntries,
  storageClassNameOf
} from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import { writeAnnotations, writeEvents, writeLabels, writeList } from "./parts.ts"
import { Writer } from "./Writer.ts"

type Events = ReadonlyArray<Event> | undefined
type Texts = Readonly<Record<string, string>>

const shortModes: Texts = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP"
}
/** In kubectl's order. */
const modesOf = (modes: ReadonlyArray<string> = []): string =>
  Object.entries(shortModes)
    .flatMap(([mode, short]) => (modes.includes(mode) ? [short] : []))
    .join(",")

const sizeOf = (capacity: Readonly<Record<string, string | number>> | undefined): string =>
  capacity?.storage === undefined ? "0" : canonicalQuantity(capacity.storage)

const pairs = (texts: Texts | undefined): string =>
  sortedEntries(texts)
    .map(([key, value]) => `${key}=${value}`)
    .join(",") || "<none>"

const writeStatus = (out: Writer, { metadata }: KubeObject, phase: string | undefined, nowMs: number): void => {
  const since = metadata.deletionTimestamp
  out.line(0, "Status:", since === undefined ? (phase ?? "") : `Terminating (lasts ${ageOf(since, nowMs)})`)
}

const finalizersOf = ({ metadata }: KubeObject): string => `[${(metadata.finalizers ?? []).join(" ")}]`

/** Upstream: kubectl/pkg/describe/describe.go, describePVC. */
export const describeClaim = (
  claim: PersistentVolumeClaim,
  users: ReadonlyArray<Pod>,
  events: Events,
  nowMs: number
): string => {
  const out = new Writer()
  const { metadata, spec, status } = claim
  out.line(0, "Name:", metadata.name ?? "").line(0, "Namespace:", metadata.namespace ?? "")
  out.line(0, "StorageClass:", storageClassNameOf(claim))
  writeStatus(out, claim, status?.phase, nowMs)
  const volume = spec?.volumeName ?? ""
  out.line(0, "Volume:", volume)
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "Finalizers:", finalizersOf(claim))
  out.line(0, "Capacity:", volume === "" ? "" : sizeOf(status?.capacity))
  out.line(0, "Access Modes:", volume === "" ? "" : modesOf(status?.accessModes))
  if (spec?.volumeMode !== undefined) out.line(0, "VolumeMode:", spec.volumeMode)
  if (spec?.dataSource !== undefined) {
    out.line(0, "DataSource:")
    if (spec.dataSource.apiGroup !== undefined) out.line(1, "APIGroup:", spec.dataSource.apiGroup)
    out.line(1, "Kind:", spec.dataSource.kind).line(1, "Name:", spec.dataSource.name)
  }
  writeList(
    out,
    "Used By",
    users.map(({ metadata: { name = "" } }) => name)
  )
  const conditions = status?.conditions ?? []
  if (conditions.length > 0) {
    out.line(0, "Conditions:")
    out.line(1, "Type", "Status", "LastProbeTime", "LastTransitionTime", "Reason", "Message")
    out.line(1, "----", "------", "-----------------", "------------------", "------", "-------")
    for (const { lastProbeTime, lastTransitionTime, message = "", reason = "", status: state, type } of conditions) {
      out.line(1, type, state, lastProbeTime ?? "", lastTransitionTime ?? "", reason, message)
    }
  }
  writeEvents(out, events, nowMs)
  return out.text
}

const writeNodeAffinity = (out: Writer, { spec }: PersistentVolume): void => {
  const affinity = spec?.nodeAffinity
  if (affinity === undefined) {
    out.line(0, "Node Affinity:", "<none>")
    return
  }
  out.line(0, "Node Affinity:", "")
  const terms = affinity.required?.nodeSelectorTerms ?? []
  out.line(1, "Required Terms:", terms.length === 0 ? "<none>" : "")
  for (const [index, { matchExpressions = [] }] of terms.entries()) {
    const lines = matchExpressions.map(({ key, operator, values = [] }) => {
      const text = `${key} ${operator.toLowerCase()}`
      return values.length === 0 ? text : `${text} [${values.join(", ")}]`
    })
    for (const [row, line] of lines.entries()) out.line(2, row === 0 ? `Term ${index}:` : "", line)
    if (lines.length === 0) out.line(2, `Term ${index}:`, "<none>")
  }
}

interface Csi {
  readonly driver?: string
  readonly fsType?: string
  readonly volumeHandle?: string
  readonly readOnly?: boolean
  readonly volumeAttributes?: Texts
}
interface Nfs {
  readonly server?: string
  readonly path?: string
  readonly readOnly?: boolean
}

const writeSource = (out: Writer, { spec }: PersistentVolume): void => {
  out.line(0, "Source:")
  const { csi, hostPath, local, nfs } = spec ?? {}
  if (hostPath !== undefined) {
    out.line(2, "Type:", "HostPath (bare host directory volume)")
    out.line(2, "Path:", hostPath.path).line(2, "HostPathType:", hostPath.type ?? "<none>")
  } else if (nfs !== undefined) {
    const { path = "", readOnly = false, server = "" } = nfs as Nfs
    out.line(2, "Type:", "NFS (an NFS mount that lasts the lifetime of a pod)")
    out.line(2, "Server:", server).line(2, "Path:", path).line(2, "ReadOnly:", readOnly)
  } else if (local !== undefined) {
    out.line(2, "Type:", "LocalVolume (a persistent volume backed by local storage on a node)")
    out.line(2, "Path:", local.path)
  } else if (csi !== undefined) {
    const { driver = "", fsType = "", readOnly = false, volumeAttributes, volumeHandle = "" } = csi as Csi
    out.line(2, "Type:", "CSI (a Container Storage Interface (CSI) volume source)")
    out.line(2, "Driver:", driver).line(2, "FSType:", fsType).line(2, "VolumeHandle:", volumeHandle)
    out.line(2, "ReadOnly:", readOnly)
    const attributes = sortedEntries(volumeAttributes).map(([key, value]) => `${key}=${value}`)
    if (attributes.length === 0) out.line(2, "VolumeAttributes:", "<none>")
    for (const [row, line] of attributes.entries()) out.line(2, row === 0 ? "VolumeAttributes:" : "", line)
  } else out.line(2, "<unknown>")
}

/** Upstream: describePV. */
export const describeVolume = (volume: PersistentVolume, events: Events, nowMs: number): string => {
  const out = new Writer()
  const { metadata, spec, status } = volume
  out.line(0, "Name:", metadata.name ?? "")
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "Finalizers:", finalizersOf(volume))
  out.line(0, "StorageClass:", storageClassNameOf(volume))
  writeStatus(out, volume, status?.phase, nowMs)
  const { claimRef } = spec ?? {}
  out.line(0, "Claim:", claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`)
  out.line(0, "Reclaim Policy:", spec?.persistentVolumeReclaimPolicy ?? "")
  out.line(0, "Access Modes:", modesOf(spec?.accessModes))
  if (spec?.volumeMode !== undefined) out.line(0, "VolumeMode:", spec.volumeMode)
  out.line(0, "Capacity:", sizeOf(spec?.capacity))
  writeNodeAffinity(out, volume)
  out.line(0, "Message:", status?.message ?? "")
  writeSource(out, volume)
  writeEvents(out, events, nowMs)
  return out.text
}

/** Upstream: describeStorageClass. */
export const describeStorageClass = (storageClass: StorageClass, events: Events, nowMs: number): string => {
  const out = new Writer()
  const { allowedTopologies, allowVolumeExpansion, metadata, mountOptions = [], parameters } = storageClass
  out
    .line(0, "Name:", metadata.name ?? "")
    .line(0, "IsDefaultClass:", isDefaultStorageClass(storageClass) ? "Yes" : "No")
  out.line(0, "Annotations:", pairs(metadata.annotations))
  out.line(0, "Provisioner:", storageClass.provisioner).line(0, "Parameters:", pairs(parameters))
  const expands = allowVolumeExpansion === undefined ? "<unset>" : allowVolumeExpansion ? "True" : "False"
  out.line(0, "AllowVolumeExpansion:", expands)
  if (mountOptions.length === 0) out.line(0, "MountOptions:", "<none>")
  else {
    out.line(0, "MountOptions:")
    for (const option of mountOptions) out.line(1, option)
  }
  if (storageClass.reclaimPolicy !== undefined) out.line(0, "ReclaimPolicy:", storageClass.reclaimPolicy)
  if (storageClass.volumeBindingMode !== undefined) out.line(0, "VolumeBindingMode:", storageClass.volumeBindingMode)
  if (allowedTopologies !== undefined) {
    out.line(0, "AllowedTopologies:", allowedTopologies.length === 0 ? "<none>" : "")
    for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
      const lines = matchLabelExpressions.map(({ key, values }) => `${key} in [${values.join(", ")}]`)
      for (const [row, line] of lines.entries()) out.line(1, row === 0 ? `Term ${index}:` : "", line)
    }
  }
  writeEvents(out, events, nowMs)
  return out.text
}
