import { canonicalQuantity, type Pod, type Release } from "@rollcall/api"
import { columns } from "@rollcall/text"
import type { ContainerSwapLimit } from "../podSwap.ts"
import type { SwapBehaviour } from "../swapLimit.ts"

/** The swap limits of a node's containers. */
export interface SwapReport {
  readonly release: Release
  /** The node's name. Empty if the report is not about a particular node. */
  readonly node: string
  readonly memoryBytes: number
  readonly swapBytes: number
  /** Undefined if the release does not support the configured behaviour and has no default. */
  readonly behaviour: SwapBehaviour | undefined
  readonly pods: ReadonlyArray<{ readonly pod: Pod; readonly containers: ReadonlyArray<ContainerSwapLimit> }>
}

const KIB = 1024

/** Formats whole KiB as a quantity, and other numbers in bytes. */
const bytesText = (bytes: number): string =>
  bytes > 0 && bytes % KIB === 0 ? canonicalQuantity(`${bytes / KIB}Ki`) : String(bytes)

const limitText = (limit: string): string => (limit === "max" ? "no limit" : bytesText(Number(limit)))

const nameOf = ({ metadata }: Pod): string =>
  metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name ?? ""}`

const memoryOf = (pod: Pod, container: string, which: "requests" | "limits"): string =>
  String(
    [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find(({ name }) => name === container)?.resources?.[
      which
    ]?.memory ?? "-"
  )

/** Renders the report as a table. */
export const renderSwapTable = ({ behaviour, memoryBytes, node, pods, release, swapBytes }: SwapReport): string => {
  const what = node === "" ? "A node" : `Node ${node}`
  const head = `${what} (Kubernetes ${release.name}) has ${bytesText(memoryBytes)} of memory and ${bytesText(swapBytes)} of swap; swapBehavior: ${behaviour ?? "not known to the release"}.`
  const rows = pods.flatMap(({ containers, pod }) =>
    containers.map(({ container, limit }) => [
      nameOf(pod),
      container,
      memoryOf(pod, container, "requests"),
      memoryOf(pod, container, "limits"),
      limitText(limit)
    ])
  )
  if (rows.length === 0) return `${head}\nNo container swaps.\n`
  return `${[head, "", ...columns([["pod", "container", "memory request", "memory limit", "swap"], ...rows])].join("\n")}\n`
}

/** Renders the report as JSON. `limit`: bytes, or `max`. */
export const renderSwapJson = ({ behaviour, memoryBytes, node, pods, release, swapBytes }: SwapReport): string => {
  const result = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "SwapPlan",
    ...(node === "" ? {} : { node }),
    release: release.name,
    memoryBytes,
    swapBytes,
    ...(behaviour === undefined ? {} : { swapBehavior: behaviour }),
    pods: pods.map(({ containers, pod: { metadata } }) => ({
      namespace: metadata.namespace,
      name: metadata.name,
      containers
    }))
  }
  return `${JSON.stringify(result, undefined, 2)}\n`
}
