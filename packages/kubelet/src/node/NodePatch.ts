import type { Node } from "@rollcall/api"
import { conditionsDiff, mergeDiff, replacedList } from "../internal/mergeDiff.ts"

/**
 * The strategic merge patch of the status subresource that makes `after` of `before`, labels and annotations riding along. It
 * carries no resourceVersion, and names only conditions that differ, so that other writers of conditions are not overwritten.
 * The list of addresses is replaced whole: its merge key would corrupt it.
 * Upstream: staging/src/k8s.io/component-helpers/node/util/status.go PatchNodeStatus.
 */
export const nodePatch = (before: Node, after: Node): Readonly<Record<string, unknown>> => {
  const { addresses: oldAddresses, conditions: oldConditions, ...oldStatus } = before.status ?? {}
  const { addresses, conditions, ...newStatus } = after.status ?? {}
  const changedConditions = conditionsDiff(oldConditions, conditions)
  const status = {
    ...mergeDiff(oldStatus, newStatus),
    ...(changedConditions.length === 0 ? {} : { conditions: changedConditions }),
    ...(mergeDiff({ addresses: oldAddresses }, { addresses }) === undefined
      ? {}
      : { addresses: replacedList(addresses) })
  }
  const metadata =
    before.metadata === after.metadata
      ? undefined
      : mergeDiff(
          { labels: before.metadata.labels ?? {}, annotations: before.metadata.annotations ?? {} },
          { labels: after.metadata.labels ?? {}, annotations: after.metadata.annotations ?? {} }
        )
  return metadata === undefined ? { status } : { metadata, status }
}
