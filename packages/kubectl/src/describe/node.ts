import {
  type Event,
  formatQuantity,
  type Lease,
  type Node,
  type Pod,
  type ResourceList,
  sortedEntries,
  type Taint
} from "@rollcall/api"
import { writeNodeResources } from "./nodeResources.ts"
import { writeAnnotations, writeEvents, writeLabels, writeList } from "./parts.ts"
import { longTime, Writer } from "./Writer.ts"

export interface NodeDescription {
  readonly node: Node
  /** The node's Lease, or the reason why it could not be read. */
  readonly lease: Lease | string
  /** Undefined: listing is forbidden. */
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly events: ReadonlyArray<Event> | undefined
  readonly nowMs: number
}

const rolesOf = ({ metadata }: Node): string => {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith("node-role.kubernetes.io/")) return key.slice("node-role.kubernetes.io/".length)
    return key === "kubernetes.io/role" ? value : ""
  })
  return (
    [...new Set(roles)]
      .filter((role) => role !== "")
      .toSorted()
      .join(",") || "<none>"
  )
}

const taintText = ({ effect, key, value }: Taint): string => {
  if (!effect) return key
  return value ? `${key}=${value}:${effect}` : `${key}:${effect}`
}

const taintOrder = ({ effect, key }: Taint): string => `${effect},${key}`

const writeLease = (out: Writer, lease: Lease | string): void => {
  if (typeof lease === "string") {
    out.line(0, "Lease:", `Failed to get lease: ${lease}`)
    return
  }
  const { acquireTime, holderIdentity, renewTime } = lease.spec ?? {}
  out.line(0, "Lease:")
  out.line(1, "HolderIdentity:", holderIdentity ?? "<unset>")
  out.line(1, "AcquireTime:", acquireTime ? longTime(acquireTime) : "<unset>")
  out.line(1, "RenewTime:", renewTime ? longTime(renewTime) : "<unset>")
}

const writeConditions = (out: Writer, { status }: Node): void => {
  const conditions = status?.conditions ?? []
  if (conditions.length === 0) return
  out.line(0, "Conditions:")
  out.line(1, "Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message")
  out.line(1, "----", "------", "-----------------", "------------------", "------", "-------")
  for (const { lastHeartbeatTime, lastTransitionTime, message = "", reason = "", status: state, type } of conditions) {
    out.line(
      1,
      `${type} `,
      `${state} `,
      `${longTime(lastHeartbeatTime)} `,
      `${longTime(lastTransitionTime)} `,
      `${reason} `,
      message
    )
  }
}

const writeResources = (out: Writer, title: string, resources: ResourceList | undefined): void => {
  const entries = sortedEntries(resources)
  if (entries.length > 0) out.line(0, title)
  for (const [name, quantity] of entries) out.line(1, `${name}:`, formatQuantity(quantity))
}

const writeSystem = (out: Writer, { spec, status }: Node): void => {
  const info = status?.nodeInfo
  out.line(0, "System Info:")
  out.line(1, "Machine ID:", info?.machineID ?? "")
  out.line(1, "System UUID:", info?.systemUUID ?? "")
  out.line(1, "Boot ID:", info?.bootID ?? "")
  out.line(1, "Kernel Version:", info?.kernelVersion ?? "")
  out.line(1, "OS Image:", info?.osImage ?? "")
  out.line(1, "Operating System:", info?.operatingSystem ?? "")
  out.line(1, "Architecture:", info?.architecture ?? "")
  out.line(1, "Container Runtime Version:", info?.containerRuntimeVersion ?? "")
  out.line(1, "Kubelet Version:", info?.kubeletVersion ?? "")
  out.line(1, "Kube-Proxy Version:", info?.kubeProxyVersion ?? "")
  if (spec?.podCIDR) out.line(0, "PodCIDR:", spec.podCIDR)
  if (spec?.podCIDRs?.length) out.line(0, "PodCIDRs:", spec.podCIDRs.join(","))
  if (spec?.providerID) out.line(0, "ProviderID:", spec.providerID)
}

/** `kubectl describe node`. Upstream: kubectl/pkg/describe/describe.go, NodeDescriber. */
export const describeNode = ({ events, lease, node, nowMs, pods }: NodeDescription): string => {
  const out = new Writer()
  const { metadata, spec, status } = node
  out.line(0, "Name:", metadata.name ?? "")
  out.line(0, "Roles:", rolesOf(node))
  writeLabels(out, "Labels", metadata.labels)
  writeAnnotations(out, "Annotations", metadata.annotations)
  out.line(0, "CreationTimestamp:", longTime(metadata.creationTimestamp))
  const taints = (spec?.taints ?? []).toSorted((left, right) => (taintOrder(left) < taintOrder(right) ? -1 : 1))
  writeList(out, "Taints", taints.map(taintText))
  out.line(0, "Unschedulable:", spec?.unschedulable ?? false)
  writeLease(out, lease)
  writeConditions(out, node)
  out.line(0, "Addresses:")
  for (const { address, type } of status?.addresses ?? []) out.line(1, `${type}:`, address)
  writeResources(out, "Capacity:", status?.capacity)
  writeResources(out, "Allocatable:", status?.allocatable)
  writeSystem(out, node)
  if (pods === undefined) out.line(0, "Pods:", "not authorized")
  else writeNodeResources(out, node, pods, nowMs)
  writeEvents(out, events, nowMs)
  return out.text
}
