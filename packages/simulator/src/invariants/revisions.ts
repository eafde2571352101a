import type { KubeObject } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

/** Checks that the resourceVersion of an object rises with each write, so that a watch never goes back. */
export const revisions = (report: Report): Invariant => {
  const compare = (previous: KubeObject | undefined, next: KubeObject | undefined) => {
    const { kind = "", metadata } = next ?? { metadata: {} }
    const [before, after] = [previous?.metadata.resourceVersion, metadata.resourceVersion]
    if (before === undefined || after === undefined || Number(after) > Number(before)) return
    report(
      `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""} changed from resourceVersion ${before} to ${after}`
    )
  }
  return { pod: compare, node: compare }
}
