import { type Node, type Pod, parseQuantity, type Release, value } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Machine } from "../../runtime/NodeHost.ts"
import { podSwap } from "../podSwap.ts"
import { type SwapConfig, swapBehaviourOf } from "../swapLimit.ts"
import type { SwapReport } from "./swapReport.ts"

/** Memory and swap of a machine, in bytes. */
export interface SwapSizes {
  readonly memoryBytes: number
  readonly swapBytes: number
}

const bytesOf = (quantity: string | number | undefined): number | undefined => {
  if (quantity === undefined) return undefined
  const parsed = parseQuantity(String(quantity))
  return Result.isSuccess(parsed) && value(parsed.success) >= 0 ? value(parsed.success) : undefined
}

/** Returns the memory and swap in a Node's status. A size that the status does not have is absent. */
export const swapSizesOf = (node: Node | undefined): Partial<SwapSizes> => {
  const memoryBytes = bytesOf(node?.status?.capacity?.memory)
  const swapBytes = bytesOf(node?.status?.nodeInfo?.swap?.capacity)
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(swapBytes === undefined ? {} : { swapBytes })
  }
}

/** Returns a machine with these sizes. The other fields do not affect swap, so they are empty. */
const machineOf = ({ memoryBytes, swapBytes }: SwapSizes): Machine => ({
  capacity: { memory: String(memoryBytes) },
  addresses: [],
  operatingSystem: "linux",
  architecture: "",
  machineID: "",
  systemUUID: "",
  bootID: "",
  versions: { kernelVersion: "", osImage: "", runtimeType: "", runtimeVersion: undefined },
  images: [],
  swapBytes
})

/** Reports the swap limit of each container of these pods on a node of that size, under a kubelet's configuration. */
export const reportSwap = (
  sizes: SwapSizes,
  config: SwapConfig,
  release: Release,
  { node = "", pods }: { readonly node?: string; readonly pods: ReadonlyArray<Pod> }
): SwapReport => {
  const machine = machineOf(sizes)
  return {
    release,
    node,
    ...sizes,
    behaviour: swapBehaviourOf(config.swapBehavior, release),
    pods: pods.map((pod) => ({ pod, containers: podSwap(pod, machine, config, release) }))
  }
}
