import { featureGatesOf, gateState, type Pod, type Release, releases } from "@rollcall/api"
import { type SwapMachine, swapLimitOf } from "./swapLimit.ts"

/** The swap rules of one release, as text: a row of docs/concepts/swap.md. */
export interface SwapFacts {
  readonly release: string
  /** The stage and default of feature gate NodeSwap. */
  readonly gate: string
  readonly failSwapOn: string
  /** The supported values of swapBehavior. The default is in bold. */
  readonly behaviours: string
  /**
   * The swap of a container with a memory request of 1Gi and a limit of 2Gi on a node with 8Gi of memory and 8Gi of
   * swap, under LimitedSwap on cgroup version 1.
   */
  readonly limitedSwapV1: string
  /** The same on cgroup version 2. */
  readonly limitedSwapV2: string
}

const GI = 1024 ** 3

const sample: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "sample", namespace: "default" },
  spec: { containers: [{ name: "c", resources: { requests: { memory: "1Gi" }, limits: { memory: "2Gi" } } }] }
}

const gateText = (release: Release): string => {
  const state = gateState(release, "NodeSwap")
  if (state === undefined) return "none"
  return `${state.stage}, ${state.locked ? "always on" : state.enabled ? "on" : "off"}`
}

const limitText = (release: Release, cgroupVersion: 1 | 2): string => {
  const { behaviours, limitedSwap } = release.swap
  if (!behaviours.includes("LimitedSwap")) return "no limit"
  if (cgroupVersion === 1 && limitedSwap === "proportional") return "does not start"
  const machine: SwapMachine = { memoryBytes: 8 * GI, swapBytes: 8 * GI, cgroupVersion, swapController: true }
  const config = { swapBehavior: "LimitedSwap", featureGates: { ...featureGatesOf(release), NodeSwap: true } }
  const [container] = sample.spec.containers
  if (container === undefined) return ""
  const { memorySwapLimitBytes, memorySwapMax } = swapLimitOf(sample, container, machine, config, release)
  if (memorySwapLimitBytes !== undefined) return `memory and swap ${memorySwapLimitBytes / GI}Gi together`
  return memorySwapMax === "0" ? "none" : `${Number(memorySwapMax) / GI}Gi`
}

const factsOf = (release: Release): SwapFacts => {
  const { behaviours, defaultBehaviour, failSwapOn } = release.swap
  const named = behaviours.map((name) => (name === defaultBehaviour ? `**${name}**` : name))
  return {
    release: release.name,
    gate: gateText(release),
    failSwapOn: String(failSwapOn),
    behaviours: named.length === 0 ? "none" : named.join(", "),
    limitedSwapV1: limitText(release, 1),
    limitedSwapV2: limitText(release, 2)
  }
}

/** The swap rules of each emulated release, computed from its row and with `swapLimitOf`. */
export const swapByRelease = (): ReadonlyArray<SwapFacts> => Object.values(releases).map(factsOf)
