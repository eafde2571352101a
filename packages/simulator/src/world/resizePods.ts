import { type KindName, type LabelSelector, matchesLabelSelector, type Pod } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EventSpec } from "../input/Scenario.ts"

interface Reference {
  readonly kind: KindName
  readonly name: string
  readonly namespace: string
}

/** Returns the pod, or the pods of the workload, that are not being deleted. */
const podsOf = (cluster: ClusterShape, { kind, name, namespace }: Reference) => {
  if (kind === "Pod") return Effect.map(cluster.get("Pod", { name, namespace }), (pod): ReadonlyArray<Pod> => [pod])
  return Effect.gen(function* () {
    const object = yield* cluster.get(kind, { name, namespace })
    const { selector } = (object as { readonly spec?: { readonly selector?: LabelSelector } }).spec ?? {}
    const { items } = yield* cluster.list("Pod", { namespace })
    return items.filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined && matchesLabelSelector(selector, metadata.labels ?? {})
    )
  })
}

/**
 * Resizes pods in place, each by itself, as an operator or an autoscaler of pods does: `container`, or their first one.
 * A refused pod does not keep the others from it; the first refusal is the result.
 */
export const resizePods = (
  cluster: ClusterShape,
  reference: Reference,
  resources: EventSpec["resources"],
  container: string | undefined
): Effect.Effect<void, ClusterError> =>
  Effect.gen(function* () {
    const pods = yield* podsOf(cluster, reference)
    const results = yield* Effect.forEach(pods, ({ metadata, spec }) => {
      const key = { name: metadata.name ?? "", namespace: reference.namespace }
      const body = { spec: { containers: [{ name: container ?? spec.containers[0]?.name, resources }] } }
      return Effect.result(cluster.patch("Pod", key, "strategic", body, { subresource: "resize" }))
    })
    const refused = results.find(Result.isFailure)
    if (refused !== undefined) return yield* refused.failure
  })
