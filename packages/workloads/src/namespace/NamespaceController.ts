import type { Namespace } from "@rollcall/api"
import { type ClusterError, type ClusterShape, Controller, isConflict, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { handledError, logLine } from "../unhandledError.ts"
import { nextConditions } from "./conditions.ts"
import { type ContentRemains, type DeletedContents, deleteContents } from "./deleteContents.ts"

export interface NamespaceControllerOptions {
  /** `--concurrent-namespace-syncs`, 10 by default. */
  readonly workers?: number
}

/** The finalizer in the spec of namespaces that this controller removes. */
const FINALIZER = "kubernetes"
/** How long deletion waits for objects that are still being created. Upstream: namespaceDeletionGracePeriod. */
const GRACE_MS = 5000
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

/** Writes the conditions after a pass. A failed write is logged: the next pass writes them. */
const writeConditions = (cluster: ClusterShape, namespace: Namespace, contents: DeletedContents, now: number) => {
  const conditions = nextConditions(namespace.status?.conditions ?? [], contents, now)
  if (conditions === undefined) return Effect.void
  const { name } = namespace.metadata
  return cluster
    .update("Namespace", { ...namespace, status: { ...namespace.status, conditions } }, { subresource: "status" })
    .pipe(
      Effect.catch(({ message }) =>
        Effect.logError("Couldn't update status condition for namespace").pipe(
          Effect.annotateLogs({ namespace: name, err: message })
        )
      )
    )
}

const isTerminating = (namespace: Namespace): boolean => namespace.metadata.deletionTimestamp !== undefined

/**
 * Deletes the contents of terminating namespaces, pods first, and then finalizes them. Upstream: pkg/controller/namespace/{namespace_controller,deletion/namespaced_resources_deleter}.go.
 */
export const layerNamespaceController = ({ workers = 10 }: NamespaceControllerOptions = {}) =>
  Controller.make({
    name: "namespace-controller",
    queue: "namespace",
    for: "Namespace",
    when: (namespace, { isDeleted }) => !isDeleted && isTerminating(namespace),
    delayMs: () => GRACE_MS,
    workers,
    reconcile: ({ cluster, queue, timers }) =>
      Effect.fnUntraced(function* (name): Effect.fn.Return<void, ClusterError | ContentRemains> {
        const namespace = yield* getNamespace(cluster, name)
        if (namespace === undefined || !isTerminating(namespace) || !namespace.spec?.finalizers?.length) return
        const contents = yield* deleteContents(cluster, namespace, timers.now())
        yield* writeConditions(cluster, namespace, contents, timers.now())
        const { error, seconds } = contents
        if (error !== undefined) return yield* error
        if (seconds === 0) yield* removeFinalizer(cluster, name)
        // Upstream checks again after half of the estimate, and one second more.
        else queue.addAfter(name, (Math.floor(seconds / 2) + 1) * 1000)
      }),
    onError: (namespace, { message }) => logLine(handledError("Deletion of namespace failed", message, { namespace }))
  })
