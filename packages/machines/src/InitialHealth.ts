import { getNodeCondition, type Node } from "@rollcall/api"

type Pressure = "MemoryPressure" | "DiskPressure" | "PIDPressure"
export const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const satisfies ReadonlyArray<Pressure>

/** What was wrong with a node when its cluster was read. */
export interface InitialHealth {
  /** Nothing had been heard of its kubelet: its machine begins switched off. */
  readonly isSilent: boolean
  /** Its kubelet said that it is not ready. */
  readonly isNotReady: boolean
  readonly networkUnavailable: boolean
  readonly pressures: ReadonlyArray<Pressure>
}

const UNREACHABLE = "node.kubernetes.io/unreachable"

/** Undefined: it was well. A node without a status was never looked at, and is well. `fellSilent`: the API did not know it yet. */
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
