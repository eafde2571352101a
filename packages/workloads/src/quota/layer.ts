import type { ResourceQuota } from "@rollcall/api"
import { type Evaluator, equalLists, isExtendedForQuota, quotaStatus, quotaUsage } from "@rollcall/api/quota"
import { Controller, keyOf, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { awaitOwnWrites } from "../consistency/awaitOwnWrites.ts"
import { handledError, logLine } from "../unhandledError.ts"
import { CountedKinds, isCountedByName } from "./CountedKinds.ts"

/** Settings of the controller, named as kube-controller-manager's flags. */
export interface ResourceQuotaConfig {
  /** `--concurrent-resource-quota-syncs` */
  readonly concurrentSyncs: number
  /** `--resource-quota-sync-period`: how often each quota is counted anew. 0 for never. */
  readonly syncPeriodMs: number
}

export const defaultResourceQuotaConfig: ResourceQuotaConfig = { concurrentSyncs: 5, syncPeriodMs: 300_000 }

/** Whether the quota cannot limit anything yet: then it is counted before the others. Upstream: addQuota. */
const lacksUsage = ({ spec, status }: ResourceQuota): boolean =>
  !equalLists(spec?.hard ?? {}, status?.hard ?? {}) ||
  Object.keys(status?.hard ?? {}).some((name) => status?.used?.[name] === undefined && isCountedByName(name))

const hasSameLimits = (before: ResourceQuota, quota: ResourceQuota): boolean =>
  equalLists(before.spec?.hard ?? {}, quota.spec?.hard ?? {})

const countFailed = (queueKey: string, { message }: { readonly message: string }) =>
  logLine(handledError("Error processing resource quota work item", message, { queueKey }))

/**
 * Counts what the objects of each namespace use of its quotas while the layer lives, through the Cluster in context.
 * Upstream: pkg/controller/resourcequota/resource_quota_controller.go.
 */
export const layerResourceQuotas = (config: Partial<ResourceQuotaConfig> = {}) => {
  const { concurrentSyncs, syncPeriodMs } = { ...defaultResourceQuotaConfig, ...config }
  return Controller.make({
    name: "resourcequota-controller",
    queue: "resourcequota_primary",
    for: "ResourceQuota",
    when: (quota, { before, isDeleted }) =>
      isDeleted || ((before === undefined || !hasSameLimits(before, quota)) && !lacksUsage(quota)),
    workers: concurrentSyncs,
    onError: countFailed,
    reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, followWrites, queue, timers }) {
      const quotas = cache("ResourceQuota")
      const quotasIn = (namespace: string) => quotas.list().filter(({ metadata }) => metadata.namespace === namespace)
      const freed = (namespace: string, evaluator: Evaluator) => {
        for (const quota of quotasIn(namespace)) {
          const limited = Object.keys(quota.status?.hard ?? {})
          if (evaluator.matching(limited, kinds.view()).length > 0) queue.add(keyOf(quota))
        }
      }
      const classesChanged = () => {
        for (const quota of quotas.list()) {
          if (Object.keys(quota.spec?.hard ?? {}).some(isExtendedForQuota)) queue.add(keyOf(quota))
        }
      }
      const scope = yield* Effect.scope
      const kinds = new CountedKinds({ cluster, timers, scope, freed, classesChanged })
      const own = awaitOwnWrites({ cache, cluster, followWrites, queue, kinds: ["ResourceQuota"] })
      const count = Effect.fnUntraced(function* (key: string) {
        const { name, namespace } = splitKey(key)
        const found = quotas.find(name, namespace)
        if (found === undefined) return
        const counted = yield* kinds.inNamespace(namespace, Object.keys(found.spec?.hard ?? {}))
        // The wait for the first lists may have taken a while.
        const quota = quotas.find(name, namespace)
        if (quota === undefined) return
        const status = quotaStatus(quota, quotaUsage(quota, counted, kinds.view()))
        if (status !== undefined) yield* own.cluster.updateStatus("ResourceQuota", { ...quota, status })
      })
      const sync = own.once(count)
      const missing = yield* addQueue("resourcequota_priority", concurrentSyncs, sync, countFailed)
      const queueIfMissing = (quota: ResourceQuota) => lacksUsage(quota) && missing.add(keyOf(quota))
      quotas.addHandler({
        onAdd: queueIfMissing,
        onUpdate: (before, quota) => hasSameLimits(before, quota) || queueIfMissing(quota)
      })
      if (syncPeriodMs > 0) {
        const queueAll = Effect.sync(() => {
          for (const quota of quotas.list()) queue.add(keyOf(quota))
        })
        yield* queueAll.pipe(Effect.repeat(Schedule.spaced(syncPeriodMs)), Effect.forkScoped)
      }
      return sync
    })
  })
}
