import { formatDuration } from "@rollcall/api"
import { endMsOf, type FaultChange } from "./FaultReconciler.ts"
import type { FleetFault } from "./FleetDocument.ts"

export const faultMessages: Readonly<Record<FaultChange, string>> = {
  begins: "A fault begins",
  continues: "A fault continues",
  ends: "A fault ends",
  expires: "A fault has expired"
}

/** Returns the log fields of a fault; `remaining` is by the cluster's clock. */
export const faultFields = (id: string, fault: FleetFault, nodes: ReadonlyArray<string>, nowMs: number) => {
  const endMs = endMsOf(fault)
  return {
    id,
    fault: fault.fault,
    nodes: nodes.length,
    ...(endMs === undefined
      ? {}
      : { remaining: formatDuration(Math.max(0, Math.round((endMs - nowMs) / 1000)) * 1000) })
  }
}
