import { formatMicroTime, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import {
  budgetEvents,
  budgetStatus,
  daemonEligibilities,
  daemonTolerations,
  defaultReplicaSetConfig,
  isPodActive,
  noPodsEvent,
  podsToDelete,
  replicaPlan,
  slowStart
} from "@rollcall/workloads/rules"
import type { Adapters, Json } from "../Adapter.ts"

const now = Date.UTC(2026, 0, 1)
const timeBefore = (seconds: number): string => formatMicroTime(now - seconds * 1000)

/** Returns a pod of a vector, with its ages converted to times. */
const podOf = ({ ageSeconds, deletedSecondsAgo, readySeconds, metadata, spec, status }: Json): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata,
    ...(ageSeconds === undefined ? {} : { creationTimestamp: timeBefore(ageSeconds) }),
    ...(deletedSecondsAgo === undefined ? {} : { deletionTimestamp: timeBefore(deletedSecondsAgo) })
  },
  spec: { containers: [], ...spec },
  status: {
    ...status,
    ...(readySeconds === undefined
      ? {}
      : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: timeBefore(readySeconds) }] })
  }
})

const replicaSetDeletion = ({ given }: { readonly given: Json }): Json => {
  const active = (given.pods as ReadonlyArray<Json>).map(podOf).filter(isPodActive)
  const related = [...active, ...((given.relatedPods ?? []) as ReadonlyArray<Json>).map(podOf)]
  const plan = replicaPlan(active.length, given.replicas, defaultReplicaSetConfig.burstReplicas)
  if (plan.act === "create") return { active: active.length, create: plan.count, deleteInOrder: [] }
  const count = plan.act === "delete" ? plan.count : 0
  const deleted = podsToDelete(active, related, count, now).map(({ metadata }) => metadata.name)
  // If all pods are deleted, the vectors do not specify the order.
  const all = count > 0 && deleted.length === active.length
  return { active: active.length, ...(all ? { deleteAll: true } : { deleteInOrder: deleted }) }
}

const startSlowly = ({ given }: { readonly given: Json }): Json => {
  let left: number = given.creationsThatSucceed
  let result: Json
  slowStart<string>(
    given.count,
    (reply) => reply(left-- > 0 ? undefined : "refused"),
    ({ batches, error, skipped, successes }) => {
      result = { successes, batches, error: error !== undefined, skipped }
    }
  )
  return result
}

const daemonSetResult = ({ given: { daemonSet, node } }: { readonly given: Json }): Json =>
  node === undefined
    ? { tolerations: daemonTolerations(daemonSet.spec.template.spec) }
    : daemonEligibilities(daemonSet)(node)

const disruptionBudget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", namespace: "default" }
}

const budgetResult = ({ given }: { readonly given: Json }): Json => {
  const milliseconds = (seconds: number) => seconds * 1000
  const status = budgetStatus(
    {
      ...(given.minAvailable === undefined ? {} : { minAvailable: given.minAvailable }),
      ...(given.maxUnavailable === undefined ? {} : { maxUnavailable: given.maxUnavailable }),
      disruptedPods: new Map(
        Object.entries(given.disruptedPods ?? {}).map(([name, at]) => [name, milliseconds(at as number)])
      )
    },
    (given.pods as ReadonlyArray<Json>).map(({ controller, name, ready, terminating }) => ({
      name,
      isReady: ready,
      isTerminating: terminating ?? false,
      controller:
        controller === null ? undefined : { name: controller, replicas: given.controllers[controller].replicas }
    })),
    milliseconds(given.now)
  )
  const { condition, desiredHealthy, currentHealthy, disruptionsAllowed, disruptedPods, expectedPods } = status
  const selected = (given.pods as ReadonlyArray<Json>).map(({ name }): Pod => podOf({ metadata: { name } }))
  const events = [
    ...(selected.length === 0 ? [{ about: disruptionBudget, ...noPodsEvent }] : []),
    ...budgetEvents(disruptionBudget, selected, status)
  ]
  const reasonsOn = (kind: string) => {
    const reasons = events.filter(({ about }) => about.kind === kind).map(({ reason }) => reason)
    return reasons.length === 0 ? undefined : reasons
  }
  return {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    disruptedPods: Object.fromEntries([...disruptedPods].map(([name, at]) => [name, at / 1000])),
    condition: { type: "DisruptionAllowed", ...condition },
    ...(status.recheckAtMs === undefined ? {} : { recheckAfter: status.recheckAtMs / 1000 - given.now }),
    podEvents: reasonsOn("Pod"),
    budgetEvents: reasonsOn("PodDisruptionBudget")
  }
}

export const workloadAdapters: Adapters = {
  "workloads/replicaset-deletion": replicaSetDeletion,
  "workloads/slow-start": startSlowly,
  "workloads/daemon": daemonSetResult,
  "workloads/pdb": budgetResult
}
