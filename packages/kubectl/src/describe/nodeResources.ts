import {
  type Amount,
  type Amounts,
  addQuantity,
  formatQuantity,
  milliValue,
  type Node,
  type Pod,
  podLimits,
  podRequests,
  type ResourceList,
  value,
  zeroQuantity
} from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"
import type { Writer } from "./Writer.ts"

const standard = ["cpu", "memory", "ephemeral-storage", "pods"]

const baseOf = ({ status }: Node): ResourceList =>
  Object.keys(status?.allocatable ?? {}).length > 0 ? (status?.allocatable ?? {}) : (status?.capacity ?? {})

const amountOf = (amounts: Amounts, name: string): Amount => amounts[name] ?? zeroQuantity

/** Formats an amount and its share, truncated: `500m (12%)`. */
const share = (amounts: Amounts, name: string, base: ResourceList): string => {
  const amount = amountOf(amounts, name)
  const count = name === "cpu" ? milliValue : value
  const whole = count(base[name] ?? zeroQuantity)
  const percent = whole === 0 ? 0 : Math.trunc((count(amount) / whole) * 100)
  return `${formatQuantity(amount)} (${percent}%)`
}

const total = (lists: ReadonlyArray<Amounts>): Amounts => {
  const sums: Record<string, Amount> = {}
  for (const list of lists) {
    for (const [name, amount] of Object.entries(list)) {
      const sum = sums[name]
      sums[name] = sum === undefined ? amount : addQuantity(sum, amount)
    }
  }
  return sums
}

/** Describes the requests and limits of a node's pods, each and in total. Upstream: kubectl/pkg/describe, describeNodeResource. */
export const writeNodeResources = (out: Writer, node: Node, pods: ReadonlyArray<Pod>, nowMs: number): void => {
  const base = baseOf(node)
  out.line(0, "Non-terminated Pods:", `(${pods.length} in total)`)
  out.line(1, "Namespace", "Name", "", "CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age")
  out.line(1, "---------", "----", "", "------------", "----------", "---------------", "-------------", "---")
  for (const pod of pods) {
    const { metadata } = pod
    // While a pod is resized, its row shows the allocated resources; the totals below do not.
    const asked = podRequests(pod, { useStatusResources: true })
    const limited = podLimits(pod, { useStatusResources: true })
    const shares = [
      share(asked, "cpu", base),
      share(limited, "cpu", base),
      share(asked, "memory", base),
      share(limited, "memory", base)
    ]
    out.line(1, metadata.namespace ?? "", metadata.name ?? "", "", ...shares, ageOf(metadata.creationTimestamp, nowMs))
  }
  out.line(0, "Allocated resources:")
  out.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)")
  out.line(1, "Resource", "Requests", "Limits")
  out.line(1, "--------", "--------", "------")
  const asked = total(pods.map((pod) => podRequests(pod)))
  const limited = total(pods.map((pod) => podLimits(pod)))
  const names = Object.keys(base).toSorted()
  const hugePages = names.filter((name) => name.startsWith("hugepages-"))
  for (const name of ["cpu", "memory", "ephemeral-storage", ...hugePages]) {
    out.line(1, name, share(asked, name, base), share(limited, name, base))
  }
  for (const name of names.filter((other) => !standard.includes(other) && !other.startsWith("hugepages-"))) {
    out.line(1, name, formatQuantity(amountOf(asked, name)), formatQuantity(amountOf(limited, name)))
  }
}
