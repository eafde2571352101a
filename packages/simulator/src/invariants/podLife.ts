import type { Pod } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

const isTerminal = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"

/** Checks that a pod never changes its node, never leaves a terminal phase, and never loses its deletionTimestamp. */
export const podLife = (report: Report): Invariant => ({
  pod: (previous, next) => {
    if (previous === undefined || next === undefined || previous.metadata.uid !== next.metadata.uid) return
    const name = `${next.metadata.namespace ?? ""}/${next.metadata.name ?? ""}`
    const [from, to] = [previous.spec.nodeName ?? "", next.spec.nodeName ?? ""]
    if (from !== "" && from !== to) report(`${name} moved from node ${from} to ${to}`)
    if (isTerminal(previous) && previous.status?.phase !== next.status?.phase) {
      report(`${name} changed from phase ${previous.status?.phase} to ${next.status?.phase}`)
    }
    if (previous.metadata.deletionTimestamp !== undefined && next.metadata.deletionTimestamp === undefined) {
      report(`${name} lost its deletionTimestamp`)
    }
  }
})
