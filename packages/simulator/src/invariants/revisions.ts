import type { KubeObject } from "@rollcall/api"
import type { Invariant, Report } from "./Invariant.ts"

/** Each write of an object has a resourceVersion beyond that of the write before: a watch never goes back. */
export const revisions = (report: Report): Invariant => {
  const compare = (previous: KubeObject | undefined, next: KubeObject | undefined) => {
    const { kind = "", metadata } = next ?? { metadata: {} }
    const [before, after] = [previous?.metadata.resourceVersion, metadata.resourceVersion]
    if (before === undefined || after === undefined || Number(after) > Number(before)) return
    report(`${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""} goes from revision ${before} to ${after}`)
  }
  return { pod: compare, node: compare }
}
