import type { Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const wasKilled = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ reason, type }) => type === "DisruptionTarget" && reason === "TerminationByKubelet") ===
  true

/** Checks that a pod ended by its kubelet (node pressure or shutdown) has phase Failed, whatever its containers' exit codes. */
export const kubeletKills = (report: Report): Invariant => ({
  pod: (previous, next) => {
    if (next?.status?.phase !== "Succeeded" || previous?.status?.phase === "Succeeded") return
    if (previous === undefined || !wasKilled(previous)) return
    report(
      `${next.metadata.namespace ?? ""}/${next.metadata.name ?? ""} was ended by its kubelet but has phase Succeeded`
    )
  }
})
