import { type KindName, kindNames, type Namespace, type Pod, resourceOf } from "@rollcall/api"
import {
  type AnyKind,
  type ClusterError,
  type ClusterShape,
  Controller,
  isConflict,
  isNotFound
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { asKindName, customResourceOf } from "../garbage/customKinds.ts"

export interface NamespaceControllerOptions {
  /** `--concurrent-namespace-syncs`, 10 by default. */
  readonly workers?: number
}

/** The finalizer in the spec of namespaces that this controller removes. */
const FINALIZER = "kubernetes"
/** How long deletion waits for objects that are still being created. Upstream: namespaceDeletionGracePeriod. */
const GRACE_MS = 5000
/** The estimated time that finalizers of objects other than pods take. Upstream: finalizerEstimateSeconds. */
const FINALIZER_SECONDS = 15

/** The namespaced kinds, pods before all others: the objects that pods use are deleted after them. */
const contentKinds: ReadonlyArray<KindName> = [
  "Pod",
  ...kindNames.filter((kind) => kind !== "Pod" && resourceOf(kind).namespaced)
]

/** The longest grace period of the pods that have not terminated, in seconds. */
export const estimateTerminationSeconds = (pods: ReadonlyArray<Pod>): number =>
  pods.reduce((longest, { spec, status }) => {
    const hasTerminated = status?.phase === "Succeeded" || status?.phase === "Failed"
    return hasTerminated ? longest : Math.max(longest, spec.terminationGracePeriodSeconds ?? 0)
  }, 0)

/** Deletes all objects of a kind in a namespace; returns the seconds until the next check, 0 when nothing is left. */
const deleteKind = Effect.fnUntraced(function* (cluster: ClusterShape, anyKind: AnyKind, namespace: string) {
  const kind = asKindName(anyKind)
  const pods = kind === "Pod" ? (yield* cluster.list("Pod", { namespace })).items : []
  yield* cluster.deleteCollection(kind, { namespace, options: { propagationPolicy: "Background" } })
  const remaining = (yield* cluster.list(kind, { namespace })).items.length
  return remaining === 0 ? 0 : estimateTerminationSeconds(pods) || FINALIZER_SECONDS
})

/** The namespaced kinds that CustomResourceDefinitions add. */
const customKinds = (cluster: ClusterShape): Effect.Effect<ReadonlyArray<AnyKind>, ClusterError> =>
  cluster.list("CustomResourceDefinition").pipe(
    Effect.map(({ items }) =>
      items.flatMap((definition) => {
        const resource = customResourceOf(definition)
        return resource?.namespaced === true ? [resource.kind] : []
      })
    )
  )

/**
 * Deletes all objects in a namespace; returns the seconds until the next check, 0 when nothing is left. While pods are
 * left, only pods are deleted, since they may need the other objects.
 */
const deleteContents = Effect.fnUntraced(function* (cluster: ClusterShape, namespace: string) {
  let longest = 0
  for (const kind of [...contentKinds, ...(yield* customKinds(cluster))]) {
    longest = Math.max(longest, yield* deleteKind(cluster, kind, namespace))
    if (kind === "Pod" && longest > 0) return longest
  }
  return longest
})

const getNamespace = (cluster: ClusterShape, name: string): Effect.Effect<Namespace | undefined, ClusterError> =>
  cluster.get("Namespace", { name }).pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))

const removeFinalizer = (cluster: ClusterShape, name: string): Effect.Effect<void, ClusterError> =>
  getNamespace(cluster, name).pipe(
    Effect.flatMap((namespace) => {
      const finalizers = namespace?.spec?.finalizers ?? []
      if (namespace === undefined || !finalizers.includes(FINALIZER)) return Effect.void
      const otherFinalizers = finalizers.filter((finalizer) => finalizer !== FINALIZER)
      const finalized: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers: otherFinalizers } }
      return Effect.asVoid(cluster.update("Namespace", finalized, { subresource: "finalize" }))
    }),
    Effect.retry({ schedule: Schedule.recurs(5), while: isConflict }),
    Effect.catchIf(isNotFound, () => Effect.void)
  )

const isTerminating = (namespace: Namespace): boolean => namespace.metadata.deletionTimestamp !== undefined

/**
 * Deletes the contents of terminating namespaces, pods first, and then finalizes them. Namespace conditions are not
 * written. Upstream: pkg/controller/namespace/{namespace_controller,deletion/namespaced_resources_deleter}.go.
 */
export const layerNamespaceController = ({ workers = 10 }: NamespaceControllerOptions = {}) =>
  Controller.make({
    name: "namespace-controller",
    queue: "namespace",
    for: "Namespace",
    when: (namespace, { isDeleted }) => !isDeleted && isTerminating(namespace),
    delayMs: () => GRACE_MS,
    workers,
    reconcile: ({ cluster, queue }) =>
      Effect.fnUntraced(function* (name): Effect.fn.Return<void, ClusterError> {
        const namespace = yield* getNamespace(cluster, name)
        if (namespace === undefined || !isTerminating(namespace) || !namespace.spec?.finalizers?.length) return
        const seconds = yield* deleteContents(cluster, name)
        if (seconds === 0) yield* removeFinalizer(cluster, name)
        // Upstream checks again after half of the estimate, and one second more.
        else queue.addAfter(name, (Math.floor(seconds / 2) + 1) * 1000)
      }),
    onError: (namespace, error) =>
      Effect.logDebug("namespace contents will be deleted later").pipe(
        Effect.annotateLogs({ namespace, error: error.message })
      )
  })
