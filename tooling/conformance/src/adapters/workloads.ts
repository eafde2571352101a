import { formatMicroTime, type Pod, requiredNodes } from "@rollcall/api"
import {
  budgetStatus,
  daemonEligibility,
  daemonTolerations,
  isPodActive,
  podsToDelete,
  slowStart
} from "@rollcall/workloads"
import type { Adapters, Json } from "../Adapter.ts"

const now = Date.UTC(2026, 0, 1)
const ago = (seconds: number): string => formatMicroTime(now - seconds * 1000)

/** A pod of the vectors, its ages put in as times. */
const podOf = ({ ageSeconds, deletedSecondsAgo, readySeconds, metadata, spec, status }: Json): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata,
    ...(ageSeconds === undefined ? {} : { creationTimestamp: ago(ageSeconds) }),
    ...(deletedSecondsAgo === undefined ? {} : { deletionTimestamp: ago(deletedSecondsAgo) })
  },
  spec: { containers: [], ...spec },
  status: {
    ...status,
    ...(readySeconds === undefined
      ? {}
      : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(readySeconds) }] })
  }
})

const replicaSetDeletion = ({ given }: { readonly given: Json }): Json => {
  const active = (given.pods as ReadonlyArray<Json>).map(podOf).filter(isPodActive)
  const related = [...active, ...((given.relatedPods ?? []) as ReadonlyArray<Json>).map(podOf)]
  const excess = active.length - given.replicas
  const names = podsToDelete(active, related, Math.max(0, excess), now).map(({ metadata }) => metadata.name)
  return {
    active: active.length,
    ...(excess < 0 ? { create: -excess } : {}),
    ...(excess > 0 && excess === active.length ? { deleteAll: true } : { deleteInOrder: excess > 0 ? names : [] })
  }
}

const startSlowly = ({ given }: { readonly given: Json }): Json => {
  let left: number = given.creationsThatSucceed
  let result: Json
  slowStart<string>(
    given.count,
    (answered) => answered(left-- > 0 ? undefined : "refused"),
    ({ batches, error, skipped, successes }) => {
      result = { successes, batches, error: error !== undefined, skipped }
    }
  )
  return result
}

const daemon = ({ given: { daemonSet, node } }: { readonly given: Json }): Json =>
  node === undefined
    ? { tolerations: daemonTolerations(daemonSet.spec.template.spec) }
    : daemonEligibility(daemonSet, node, (spec, candidate) => requiredNodes(spec)?.(candidate) ?? true)

const budget = ({ given }: { readonly given: Json }): Json => {
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
  const budgetEvents = [
    ...(given.pods.length === 0 ? ["NoPods"] : []),
    ...(status.unmanaged.length > 0 ? ["UnmanagedPods"] : [])
  ]
  return {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    disruptedPods: Object.fromEntries([...disruptedPods].map(([name, at]) => [name, at / 1000])),
    condition: { type: "DisruptionAllowed", ...condition },
    ...(status.recheckAtMs === undefined ? {} : { recheckAfter: status.recheckAtMs / 1000 - given.now }),
    ...(status.notDeleted.length === 0 ? {} : { podEvents: status.notDeleted.map(() => "NotDeleted") }),
    ...(budgetEvents.length === 0 ? {} : { budgetEvents })
  }
}

export const workloadAdapters: Adapters = {
  "workloads/replicaset-deletion": replicaSetDeletion,
  "workloads/slow-start": startSlowly,
  "workloads/daemon": daemon,
  "workloads/pdb": budget
}
