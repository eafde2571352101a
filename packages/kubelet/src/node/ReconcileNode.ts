import {
  annotationControllerManagedAttach,
  compareQuantity,
  labelArch,
  labelBetaArch,
  labelBetaInstanceType,
  labelBetaOS,
  labelBetaRegion,
  labelBetaZone,
  labelHostname,
  labelInstanceType,
  labelOS,
  labelRegion,
  labelZone,
  type Node,
  type ResourceList
} from "@rollcall/api"
import { isExtendedResource, isHugePages } from "./ResourceNames.ts"

type StringMap = Readonly<Record<string, string>>

/** The result of one step of the reconciliation. */
interface Step<A> {
  readonly value: A
  /** Whether the step made a change that must be sent. */
  readonly changed: boolean
}

/** The labels that the kubelet maintains on an existing Node. It ignores others. */
const defaultLabels = [
  labelHostname,
  labelZone,
  labelRegion,
  labelBetaZone,
  labelBetaRegion,
  labelInstanceType,
  labelBetaInstanceType,
  labelOS,
  labelArch,
  "node.kubernetes.io/windows-build",
  labelBetaOS,
  labelBetaArch
]

const reconcileAttachAnnotation = (initial: StringMap, existing: StringMap): Step<StringMap> => {
  const wanted = initial[annotationControllerManagedAttach]
  if ((wanted ?? "") === (existing[annotationControllerManagedAttach] ?? "")) return { value: existing, changed: false }
  if (wanted !== undefined)
    return { value: { ...existing, [annotationControllerManagedAttach]: wanted }, changed: true }
  const { [annotationControllerManagedAttach]: _removed, ...rest } = existing
  return { value: rest, changed: true }
}

const reconcileLabels = (initial: StringMap, existing: StringMap): Step<StringMap> => {
  const value: Record<string, string> = { ...existing }
  let changed = false
  for (const key of defaultLabels) {
    const wanted = initial[key]
    if (wanted === undefined) continue
    // A label that is empty on both sides is removed without counting as a change.
    if ((existing[key] ?? "") !== wanted) changed = true
    if (wanted === "") delete value[key]
    else value[key] = wanted
  }
  return { value, changed }
}

interface Resources {
  readonly capacity: ResourceList
  readonly allocatable: ResourceList
}

/** Sets the extended resources of a recreated machine to 0: they are unknown until its device plugins register. */
const resetExtended = (resources: Resources): Step<Resources> => {
  const extended = Object.keys(resources.capacity).filter(isExtendedResource)
  if (extended.length === 0) return { value: resources, changed: false }
  const zero = Object.fromEntries(extended.map((name) => [name, "0"]))
  return {
    value: { capacity: { ...resources.capacity, ...zero }, allocatable: { ...resources.allocatable, ...zero } },
    changed: true
  }
}

const reconcileHugePages = (initial: Resources, existing: Resources): Step<Resources> => {
  const capacity: Record<string, string | number> = { ...existing.capacity }
  const allocatable: Record<string, string | number> = { ...existing.allocatable }
  let changed = false
  const setAmount = (target: Record<string, string | number>, source: ResourceList, name: string, added: boolean) => {
    const wanted = source[name] ?? "0"
    if (!added && compareQuantity(target[name] ?? "0", wanted) === 0) return
    target[name] = wanted
    changed = true
  }
  for (const name of Object.keys(initial.capacity).filter(isHugePages)) {
    const added = existing.capacity[name] === undefined
    setAmount(capacity, initial.capacity, name, added)
    setAmount(allocatable, initial.allocatable, name, added)
  }
  for (const name of Object.keys(existing.capacity).filter(isHugePages)) {
    if (initial.capacity[name] !== undefined) continue
    delete capacity[name]
    delete allocatable[name]
    changed = true
  }
  return { value: { capacity, allocatable }, changed }
}

/**
 * Reconciles an existing Node with the one that the kubelet would create: attach-detach annotation, default labels,
 * extended resources, huge pages, in this order. Taints, other labels, cpu and memory stay unchanged. `needsUpdate`
 * says that the result must be sent, in one patch of the status subresource, which includes the metadata. Upstream:
 * pkg/kubelet/kubelet_node_status.go tryRegisterWithAPIServer and its reconcile helpers.
 */
export const reconcileNode = (
  initial: Node,
  existing: Node,
  devicesWereReset: boolean
): { readonly node: Node; readonly needsUpdate: boolean } => {
  const annotated = reconcileAttachAnnotation(initial.metadata.annotations ?? {}, existing.metadata.annotations ?? {})
  const labelled = reconcileLabels(initial.metadata.labels ?? {}, existing.metadata.labels ?? {})
  const wanted: Resources = {
    capacity: initial.status?.capacity ?? {},
    allocatable: initial.status?.allocatable ?? {}
  }
  const { allocatable, capacity } = existing.status ?? {}
  // A Node without resources gets those of the initial Node.
  const wasIncomplete =
    (capacity === undefined && initial.status?.capacity !== undefined) ||
    (allocatable === undefined && initial.status?.allocatable !== undefined)
  const present: Resources = {
    capacity: capacity ?? wanted.capacity,
    allocatable: allocatable ?? wanted.allocatable
  }
  const extended = devicesWereReset ? resetExtended(present) : { value: present, changed: false }
  const huge = reconcileHugePages(wanted, extended.value)
  return {
    node: {
      ...existing,
      metadata: { ...existing.metadata, annotations: annotated.value, labels: labelled.value },
      status: { ...existing.status, ...huge.value }
    },
    needsUpdate: annotated.changed || labelled.changed || wasIncomplete || extended.changed || huge.changed
  }
}
