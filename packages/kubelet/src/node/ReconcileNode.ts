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

/** A value after a step, and whether the step made a change that must be sent. */
interface Step<A> {
  readonly value: A
  readonly changed: boolean
}

/** The labels that the kubelet maintains on an existing Node; it ignores others. */
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

const attachAnnotation = (initial: StringMap, existing: StringMap): Step<StringMap> => {
  const wanted = initial[annotationControllerManagedAttach]
  if ((wanted ?? "") === (existing[annotationControllerManagedAttach] ?? "")) return { value: existing, changed: false }
  if (wanted !== undefined)
    return { value: { ...existing, [annotationControllerManagedAttach]: wanted }, changed: true }
  const { [annotationControllerManagedAttach]: _removed, ...rest } = existing
  return { value: rest, changed: true }
}

const labels = (initial: StringMap, existing: StringMap): Step<StringMap> => {
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

/** The extended resources of a recreated machine are unknown until its device plugins register. */
const resetExtended = (resources: Resources): Step<Resources> => {
  const extended = Object.keys(resources.capacity).filter(isExtendedResource)
  if (extended.length === 0) return { value: resources, changed: false }
  const zero = Object.fromEntries(extended.map((name) => [name, "0"]))
  return {
    value: { capacity: { ...resources.capacity, ...zero }, allocatable: { ...resources.allocatable, ...zero } },
    changed: true
  }
}

const hugePages = (initial: Resources, existing: Resources): Step<Resources> => {
  const capacity: Record<string, string | number> = { ...existing.capacity }
  const allocatable: Record<string, string | number> = { ...existing.allocatable }
  let changed = false
  const take = (target: Record<string, string | number>, source: ResourceList, name: string, added: boolean) => {
    const wanted = source[name] ?? "0"
    if (!added && compareQuantity(target[name] ?? "0", wanted) === 0) return
    target[name] = wanted
    changed = true
  }
  for (const name of Object.keys(initial.capacity).filter(isHugePages)) {
    const added = existing.capacity[name] === undefined
    take(capacity, initial.capacity, name, added)
    take(allocatable, initial.allocatable, name, added)
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
 * Reconciles an existing Node at registration: attach-detach annotation, default labels, extended resources, huge
 * pages, in this order. Taints, other labels, cpu and memory stay unchanged. With `needsUpdate` one patch of the
 * status subresource is due, which includes the metadata. Upstream: pkg/kubelet/kubelet_node_status.go
 * tryRegisterWithAPIServer and its reconcile helpers.
 */
export const reconcileNode = (
  initial: Node,
  existing: Node,
  devicesWereReset: boolean
): { readonly node: Node; readonly needsUpdate: boolean } => {
  const annotated = attachAnnotation(initial.metadata.annotations ?? {}, existing.metadata.annotations ?? {})
  const labelled = labels(initial.metadata.labels ?? {}, existing.metadata.labels ?? {})
  const wanted: Resources = {
    capacity: initial.status?.capacity ?? {},
    allocatable: initial.status?.allocatable ?? {}
  }
  const { allocatable, capacity } = existing.status ?? {}
  const completed =
    (capacity === undefined && initial.status?.capacity !== undefined) ||
    (allocatable === undefined && initial.status?.allocatable !== undefined)
  const held: Resources = {
    capacity: capacity ?? wanted.capacity,
    allocatable: allocatable ?? wanted.allocatable
  }
  const extended = devicesWereReset ? resetExtended(held) : { value: held, changed: false }
  const huge = hugePages(wanted, extended.value)
  return {
    node: {
      ...existing,
      metadata: { ...existing.metadata, annotations: annotated.value, labels: labelled.value },
      status: { ...existing.status, ...huge.value }
    },
    needsUpdate: annotated.changed || labelled.changed || completed || extended.changed || huge.changed
  }
}
