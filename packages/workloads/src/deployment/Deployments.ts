import { type Deployment, getControllerOf, keyOf, matchesLabelSelector, type ReplicaSet } from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isAlreadyExists,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { claimReplicaSets } from "../claims.ts"
import { isNamespaceTerminating } from "../replicaset/PodControl.ts"
import { newReplicaSet, setsBeyondHistory, sizeAnnotations, withDeploymentFields } from "./newReplicaSet.ts"
import { hasTemplate } from "./podTemplateHash.ts"
import { isScalingEvent, sizeScalings } from "./proportional.ts"
import { annotationRevision, newestRevision } from "./revision.ts"
import { byAge, isWaitingForOldPods, newSetSize, nextScalings, type Scaling, sizeOf } from "./rollout.ts"
import { deploymentStatus, isRolledOut, progressDeadlineMs, withCreateError } from "./status.ts"

/** What the controller needs. */
export interface DeploymentParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly deployments: Informer<"Deployment">
  /** With the indexes `owner` (UID of the controller) and `orphans` (namespace). */
  readonly replicaSets: Informer<"ReplicaSet">
  readonly queue: WorkQueue<string>
}

/** The value of the index `owner`: the UID of the set's controller; undefined if it has none. */
export const ownerIndex = (replicaSet: ReplicaSet): string | undefined => getControllerOf(replicaSet)?.uid

/** The ReplicaSets of a deployment: that of its current template, if it exists, and all others, oldest first. */
interface Revisions {
  readonly newest: ReplicaSet | undefined
  readonly old: ReadonlyArray<ReplicaSet>
}

const revisionsOf = (deployment: Deployment, sets: ReadonlyArray<ReplicaSet>): Revisions => {
  const sorted = sets.toSorted(byAge)
  const newest = sorted.find((replicaSet) => hasTemplate(replicaSet, deployment.spec.template))
  return { newest, old: sorted.filter((replicaSet) => replicaSet !== newest) }
}

/** Whether the set's size, or its annotation of the deployment's size, must change. */
const needsUpdate = (deployment: Deployment, { replicaSet, replicas }: Scaling): boolean =>
  sizeOf(replicaSet) !== replicas ||
  Object.entries(sizeAnnotations(deployment)).some(([name, value]) => replicaSet.metadata.annotations?.[name] !== value)

/**
 * Moves a deployment one step towards its spec: creates the ReplicaSet of its template, scales its ReplicaSets, writes
 * its status. The effect of each step arrives through the informers and triggers the next.
 * Upstream: pkg/controller/deployment.
 */
export class Deployments {
  private readonly parts: DeploymentParts

  constructor(parts: DeploymentParts) {
    this.parts = parts
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: Deployments, key: string) {
    const { cluster, deployments, replicaSets } = this.parts
    const deployment = deployments.get(key)
    if (deployment === undefined) return
    const sets = yield* claimReplicaSets(cluster, {
      owner: deployment,
      owned: replicaSets.byIndex("owner", deployment.metadata.uid ?? ""),
      orphans: replicaSets.byIndex("orphans", deployment.metadata.namespace ?? ""),
      belongs: ({ metadata }) => matchesLabelSelector(deployment.spec.selector, metadata.labels)
    })
    const cached = revisionsOf(deployment, sets)
    if (deployment.metadata.deletionTimestamp !== undefined) {
      yield* this.updateStatus(deployment, cached, false)
      return
    }
    const isPaused = deployment.spec.paused === true
    // Scaling comes first; the rollout continues afterwards.
    const isRolloutHalted = isPaused || isScalingEvent(deployment, sets)
    const existing =
      cached.newest === undefined ? undefined : yield* this.updateNewestSet(deployment, cached.newest, cached.old)
    const created =
      isRolloutHalted || existing !== undefined ? undefined : yield* this.createNewSet(deployment, cached.old)
    const revisions: Revisions = { old: cached.old, newest: existing ?? created }
    const { newest, old } = revisions
    // A set that was just created already has its size.
    const scalings =
      created !== undefined
        ? []
        : isRolloutHalted
          ? sizeScalings(deployment, old, newest).filter((scaling) => needsUpdate(deployment, scaling))
          : nextScalings(deployment, old, newest)
    for (const scaling of scalings) yield* this.scale(deployment, scaling)
    yield* this.updateStatus(deployment, revisions, created !== undefined)
    if (isPaused || isRolledOut(deployment)) yield* this.deleteSetsBeyondHistory(deployment, old)
    this.syncAtProgressDeadline(deployment)
  })

  /** Updates the newest set's annotations and minReadySeconds from its deployment. */
  private updateNewestSet(
    deployment: Deployment,
    newest: ReplicaSet,
    old: ReadonlyArray<ReplicaSet>
  ): Effect.Effect<ReplicaSet, ClusterError> {
    const next = withDeploymentFields(deployment, newest, old)
    return next === newest ? Effect.succeed(newest) : this.parts.cluster.update("ReplicaSet", next)
  }

  /**
   * Creates the ReplicaSet of the deployment's template. Returns undefined if old pods must terminate first, or if the
   * set exists already and the cache does not show it yet.
   */
  private readonly createNewSet = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    old: ReadonlyArray<ReplicaSet>
  ) {
    if (isWaitingForOldPods(deployment, old)) return undefined
    const replicas = newSetSize(deployment, old, undefined)
    const desired = newReplicaSet(deployment, newestRevision(old), replicas)
    const { cluster, recorder } = this.parts
    const created = yield* cluster.create("ReplicaSet", desired).pipe(
      Effect.catchIf(isAlreadyExists, (error) => this.resolveCollision(deployment, desired, error)),
      Effect.tapError((error) => this.reportCreateError(deployment, desired, error))
    )
    if (created === undefined) return undefined
    if (replicas > 0) {
      const text = `Scaled up replica set ${created.metadata.name} from 0 to ${replicas}`
      recorder.event(deployment, "Normal", "ScalingReplicaSet", text)
    }
    return created
  })

  /**
   * Writes the error to the status and in an Event, unless the cause is a name collision or a terminating namespace.
   */
  private readonly reportCreateError = Effect.fnUntraced(
    { self: this },
    function* (this: Deployments, deployment: Deployment, { metadata }: ReplicaSet, error: ClusterError) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return
      const message = `Failed to create new replica set ${JSON.stringify(metadata.name)}: ${error.message}`
      const { cluster, recorder, timers } = this.parts
      const status = withCreateError(deployment, message, timers.now())
      if (status !== deployment.status) {
        // The sync fails with the creation error, so a failure to write it to the status is ignored.
        yield* Effect.ignore(cluster.updateStatus("Deployment", { ...deployment, ...(status && { status }) }))
      }
      recorder.event(deployment, "Warning", "ReplicaSetCreateError", message)
    }
  )

  /**
   * Handles a set whose name is taken. If the existing set is the deployment's own, which the cache does not show yet,
   * returns undefined. Otherwise raises the status' collisionCount, so that the next attempt has another hash, and
   * fails.
   */
  private readonly resolveCollision = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    desired: ReplicaSet,
    error: ClusterError
  ) {
    const { cluster } = this.parts
    const found = yield* cluster.get("ReplicaSet", {
      namespace: desired.metadata.namespace,
      name: desired.metadata.name ?? ""
    })
    const isOurs = getControllerOf(found)?.uid === deployment.metadata.uid
    if (isOurs && hasTemplate(found, deployment.spec.template)) return undefined
    const { collisionCount = 0, ...status } = deployment.status ?? {}
    yield* cluster.updateStatus("Deployment", {
      ...deployment,
      status: { ...status, collisionCount: collisionCount + 1 }
    })
    return yield* Effect.fail(error)
  })

  /** Writes a set's size and its annotations about the size of the deployment. */
  private readonly scale = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    { replicaSet, replicas }: Scaling
  ) {
    const { metadata, spec } = replicaSet
    const before = sizeOf(replicaSet)
    yield* this.parts.cluster.update("ReplicaSet", {
      ...replicaSet,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...sizeAnnotations(deployment) } },
      spec: { ...spec, replicas }
    })
    if (replicas === before) return
    const direction = replicas > before ? "up" : "down"
    const text = `Scaled ${direction} replica set ${metadata.name} from ${before} to ${replicas}`
    this.parts.recorder.event(deployment, "Normal", "ScalingReplicaSet", text)
  })

  /**
   * Writes the status and the revision annotation if they differ. The annotation is written through the status
   * subresource too, as upstream does. `created` says whether the newest set was created in this sync.
   */
  private readonly updateStatus = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    { newest, old }: Revisions,
    created: boolean
  ) {
    const { metadata } = deployment
    const revision = newest?.metadata.annotations?.[annotationRevision]
    const status = deploymentStatus(deployment, newest, old, this.parts.timers.now(), created)
    const hasRevision = revision === undefined || metadata.annotations?.[annotationRevision] === revision
    if (status === undefined && hasRevision) return
    const annotations = hasRevision ? metadata.annotations : { ...metadata.annotations, [annotationRevision]: revision }
    yield* this.parts.cluster.updateStatus("Deployment", {
      ...deployment,
      metadata: annotations === undefined ? metadata : { ...metadata, annotations },
      ...(status === undefined ? {} : { status })
    })
  })

  /** Deletes old sets beyond revisionHistoryLimit. Upstream: sync.go cleanupDeployment. */
  private readonly deleteSetsBeyondHistory = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    old: ReadonlyArray<ReplicaSet>
  ) {
    for (const { metadata } of setsBeyondHistory(deployment, old)) {
      yield* this.parts.cluster
        .delete("ReplicaSet", { namespace: metadata.namespace, name: metadata.name ?? "" })
        .pipe(Effect.catchIf(isNotFound, () => Effect.void))
    }
  })

  /** Syncs the deployment again when its progress deadline has passed; the deadline is NaN if there is none. */
  private syncAtProgressDeadline(deployment: Deployment): void {
    const remainingMs = progressDeadlineMs(deployment) - this.parts.timers.now()
    // Times in conditions are whole seconds: one more second ensures that the deadline has passed.
    if (remainingMs > 0) this.parts.queue.addAfter(keyOf(deployment), remainingMs + 1000)
  }
}
