import { getNodeCondition, type Node } from "@rollcall/api"

type Pressure = "MemoryPressure" | "DiskPressure" | "PIDPressure"
/** The pressure conditions that a snapshot may show. */
export const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const satisfies ReadonlyArray<Pressure>

/** The health problems of a node in the snapshot of its cluster. */
export interface InitialHealth {
  /** Whether its kubelet had stopped reporting: its machine then starts powered off. */
  readonly isSilent: boolean
  /** Whether its kubelet reported that the node is not ready. */
  readonly isNotReady: boolean
  readonly networkUnavailable: boolean
  readonly pressures: ReadonlyArray<Pressure>
}

const UNREACHABLE = "node.kubernetes.io/unreachable"

/**
 * Returns the health problems of a node, or undefined if it has none. A node without a status has none.
 * `hasStoppedReporting` says that the kubelet had stopped reporting although the API did not show that yet.
 */
export const initialHealth = (node: Node, hasStoppedReporting = false): InitialHealth | undefined => {
  const status = (type: string) => getNodeCondition(node, type)?.status
  const ready = status("Ready")
  const isUnreachable = node.spec?.taints?.some(({ key }) => key === UNREACHABLE) === true
  const health: InitialHealth = {
    isSilent: hasStoppedReporting || ready === "Unknown" || (ready === undefined && isUnreachable),
    isNotReady: ready === "False",
    networkUnavailable: status("NetworkUnavailable") === "True",
    pressures: pressures.filter((type) => status(type) === "True")
  }
  const isHealthy =
    !health.isSilent && !health.isNotReady && !health.networkUnavailable && health.pressures.length === 0
  return isHealthy ? undefined : health
}
