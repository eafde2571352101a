import type { Pod, Toleration } from "@rollcall/api"
import { affinityTermsOf } from "./AffinityTerms.ts"
import { type HostPort, PodClass, type PodInfo } from "./CacheRecords.ts"
import type { Demands } from "./PodDemand.ts"
import { podVolumesOf } from "./PodVolumes.ts"

const noLabels: Labels = {}
const noTolerations: ReadonlyArray<Toleration> = []
const noPorts: ReadonlyArray<HostPort> = []
const anyAddress = "0.0.0.0"

/** Identifies a pod: its UID, so that a new pod with the same name is another one. */
export const podKey = (pod: Pod): string =>
  pod.metadata.uid ?? `${pod.metadata.namespace ?? "default"}/${pod.metadata.name}`

/** The host ports of containers that run at the same time: init containers only if they are sidecars. */
const hostPortsOf = ({ containers, initContainers = [] }: Pod["spec"]): ReadonlyArray<HostPort> => {
  let ports: Array<HostPort> | undefined
  const sidecars = initContainers.filter((container) => container.restartPolicy === "Always")
  for (const container of sidecars.length === 0 ? containers : [...containers, ...sidecars]) {
    for (const { hostIP, hostPort, protocol } of container.ports ?? []) {
      if (hostPort === undefined || hostPort <= 0) continue
      ports ??= []
      ports.push({ ip: hostIP || anyAddress, protocol: protocol || "TCP", port: hostPort })
    }
  }
  return ports ?? noPorts
}

/** Whether two pods on one node cannot use both ports. */
export const portsConflict = (left: HostPort, right: HostPort): boolean =>
  left.port === right.port &&
  left.protocol === right.protocol &&
  (left.ip === right.ip || left.ip === anyAddress || right.ip === anyAddress)

type Labels = Readonly<Record<string, string>>

/** The last key made of labels, which the pods of a workload share. */
const labelKeys = new WeakMap<Labels, { readonly namespace: string; readonly key: string }>()

const labelKey = (namespace: string, labels: Labels): string => {
  const known = labelKeys.get(labels)
  if (known?.namespace === namespace) return known.key
  const names = Object.keys(labels)
  if (names.length > 1) names.sort()
  let key = namespace
  for (const name of names) key += `\n${name}=${labels[name]}`
  labelKeys.set(labels, { namespace, key })
  return key
}

/** Identifies the class of a pod: see `PodClass`. */
const classKey = (pod: Pod, namespace: string, labels: Labels): string => {
  const key = labelKey(namespace, labels)
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return key
  return `${key}\n\n${JSON.stringify([podAffinity, podAntiAffinity])}`
}

/** Derives the values that scheduling needs from a pod. `intern` returns the class with a key, or makes it. */
export const describePod = (
  pod: Pod,
  demands: Demands,
  intern: (key: string, make: () => PodClass) => PodClass
): PodInfo => {
  const { metadata, spec } = pod
  const namespace = metadata.namespace ?? "default"
  const labels = metadata.labels ?? noLabels
  const key = classKey(pod, namespace, labels)
  return {
    key: podKey(pod),
    pod,
    namespace,
    name: metadata.name ?? "",
    priority: spec.priority ?? 0,
    labels,
    tolerations: spec.tolerations ?? noTolerations,
    requests: demands.of(pod),
    hostPorts: hostPortsOf(spec),
    volumes: podVolumesOf(pod),
    podClass: intern(key, () => new PodClass(key, namespace, labels, affinityTermsOf(pod))),
    terminating: metadata.deletionTimestamp !== undefined
  }
}

/**
 * Whether a pod is described as another one, but for its name, key and tolerations: pods of one template share their parts. Not
 * for pods that take more than resources of a node: ports, volumes.
 */
export const isLike = (pod: Pod, other: PodInfo): boolean => {
  const { metadata, spec } = pod
  const { spec: otherSpec } = other.pod
  return (
    spec.containers === otherSpec.containers &&
    spec.initContainers === otherSpec.initContainers &&
    spec.affinity === otherSpec.affinity &&
    (spec.priority ?? 0) === other.priority &&
    (metadata.labels ?? noLabels) === other.labels &&
    (metadata.namespace ?? "default") === other.namespace &&
    other.hostPorts.length === 0 &&
    other.volumes === undefined &&
    podVolumesOf(pod) === undefined &&
    !other.terminating &&
    metadata.deletionTimestamp === undefined
  )
}

/** Whether two versions of a pod are the same for other pods: they take the same resources and match the same terms. */
export const isSameForOthers = (left: PodInfo, right: PodInfo): boolean =>
  left.requests === right.requests &&
  left.podClass.key === right.podClass.key &&
  left.terminating === right.terminating &&
  left.priority === right.priority &&
  left.hostPorts.length === right.hostPorts.length &&
  left.hostPorts.every((port, index) => {
    const other = right.hostPorts[index]
    return port.ip === other?.ip && port.protocol === other.protocol && port.port === other.port
  })
