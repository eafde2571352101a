import type { Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const wasKilled = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ reason, type }) => type === "DisruptionTarget" && reason === "TerminationByKubelet") ===
  true

/** A pod that its kubelet ended, for want of resources or of a machine, has failed, however its containers took it. */
export const kubeletKills = (report: Report): Invariant => ({
  pod: (previous, next) => {
    if (next?.status?.phase !== "Succeeded" || previous?.status?.phase === "Succeeded") return
    if (previous === undefined || !wasKilled(previous)) return
    report(`${next.metadata.namespace ?? ""}/${next.metadata.name ?? ""} was ended by its kubelet, and has Succeeded`)
  }
})
