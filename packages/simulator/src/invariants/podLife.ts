import type { Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const isTerminal = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"

/** A pod never changes its node, never comes back from its end, and is never un-deleted. */
export const podLife = (report: Report): Invariant => ({
  pod: (previous, next) => {
    if (previous === undefined || next === undefined || previous.metadata.uid !== next.metadata.uid) return
    const name = `${next.metadata.namespace ?? ""}/${next.metadata.name ?? ""}`
    const [from, to] = [previous.spec.nodeName ?? "", next.spec.nodeName ?? ""]
    if (from !== "" && from !== to) report(`${name} moves from ${from} to ${to}`)
    if (isTerminal(previous) && previous.status?.phase !== next.status?.phase) {
      report(`${name} goes from ${previous.status?.phase} to ${next.status?.phase}`)
    }
    if (previous.metadata.deletionTimestamp !== undefined && next.metadata.deletionTimestamp === undefined) {
      report(`${name} was being deleted, and is not any more`)
    }
  }
})
