import { getNodeCondition, type Node } from "@rollcall/api"

type Pressure = "MemoryPressure" | "DiskPressure" | "PIDPressure"
export const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const satisfies ReadonlyArray<Pressure>

/** The health problems of a node in the snapshot of its cluster. */
export interface InitialHealth {
  /** Its kubelet had stopped reporting: its machine starts powered off. */
  readonly isSilent: boolean
  /** Its kubelet reported not ready. */
  readonly isNotReady: boolean
  readonly networkUnavailable: boolean
  readonly pressures: ReadonlyArray<Pressure>
}

const UNREACHABLE = "node.kubernetes.io/unreachable"

/**
 * The health problems of a node; undefined: none. A node without a status has none. `fellSilent`: the kubelet had
 * stopped reporting, but the API did not show that yet.
 */
export const initialHealth = (node: Node, fellSilent = false): InitialHealth | undefined => {
  const status = (type: string) => getNodeCondition(node, type)?.status
  const ready = status("Ready")
  const isUnreachable = node.spec?.taints?.some(({ key }) => key === UNREACHABLE) === true
  const health: InitialHealth = {
    isSilent: fellSilent || ready === "Unknown" || (ready === undefined && isUnreachable),
    isNotReady: ready === "False",
    networkUnavailable: status("NetworkUnavailable") === "True",
    pressures: pressures.filter((type) => status(type) === "True")
  }
  const isWell = !health.isSilent && !health.isNotReady && !health.networkUnavailable && health.pressures.length === 0
  return isWell ? undefined : health
}
