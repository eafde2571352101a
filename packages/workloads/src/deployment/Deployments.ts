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
import {
  annotationRevision,
  newestRevision,
  newReplicaSet,
  setsBeyondHistory,
  sizeAnnotations,
  withDeployment
} from "./newReplicaSet.ts"
import { hasTemplate } from "./podTemplateHash.ts"
import { isScalingEvent, sizeScalings } from "./proportional.ts"
import { byAge, isWaitingForOldPods, newSetSize, nextScalings, type Scaling, sizeOf } from "./rollout.ts"
import { deploymentStatus, isRolledOut, progressDeadlineMs, withCreateError } from "./status.ts"

export interface DeploymentParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly deployments: Informer<"Deployment">
  /** With the indexes `owner` (UID of the controller) and `orphans` (namespace). */
  readonly replicaSets: Informer<"ReplicaSet">
  readonly queue: WorkQueue<string>
}

/** The value of the index `owner`. */
export const ownerIndex = (replicaSet: ReplicaSet): string | undefined => getControllerOf(replicaSet)?.uid

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
const isDue = (deployment: Deployment, { replicaSet, replicas }: Scaling): boolean =>
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
    const known = revisionsOf(deployment, sets)
    if (deployment.metadata.deletionTimestamp !== undefined) {
      yield* this.report(deployment, known, false)
      return
    }
    const isPaused = deployment.spec.paused === true
    // Scaling comes first; the rollout continues afterwards.
    const isHeld = isPaused || isScalingEvent(deployment, sets)
    const noted = known.newest === undefined ? undefined : yield* this.note(deployment, known.newest, known.old)
    const made = isHeld || noted !== undefined ? undefined : yield* this.create(deployment, known.old)
    const revisions: Revisions = { old: known.old, newest: noted ?? made }
    const { newest, old } = revisions
    // A new set was created with its size.
    const scalings =
      made !== undefined
        ? []
        : isHeld
          ? sizeScalings(deployment, old, newest).filter((scaling) => isDue(deployment, scaling))
          : nextScalings(deployment, old, newest)
    for (const scaling of scalings) yield* this.scale(deployment, scaling)
    yield* this.report(deployment, revisions, made !== undefined)
    if (isPaused || isRolledOut(deployment)) yield* this.forgetHistory(deployment, old)
    this.planDeadline(deployment)
  })

  /** Updates the newest set's annotations and minReadySeconds from its deployment. */
  private note(
    deployment: Deployment,
    newest: ReplicaSet,
    old: ReadonlyArray<ReplicaSet>
  ): Effect.Effect<ReplicaSet, ClusterError> {
    const next = withDeployment(deployment, newest, old)
    return next === newest ? Effect.succeed(newest) : this.parts.cluster.update("ReplicaSet", next)
  }

  /** Undefined: not created yet, or the name is taken. */
  private readonly create = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    old: ReadonlyArray<ReplicaSet>
  ) {
    if (isWaitingForOldPods(deployment, old)) return undefined
    const replicas = newSetSize(deployment, old, undefined)
    const wanted = newReplicaSet(deployment, newestRevision(old), replicas)
    const { cluster, recorder } = this.parts
    const made = yield* cluster.create("ReplicaSet", wanted).pipe(
      Effect.catchIf(isAlreadyExists, (error) => this.resolveCollision(deployment, wanted, error)),
      Effect.tapError((error) => this.tellNotMade(deployment, wanted, error))
    )
    if (made === undefined) return undefined
    if (replicas > 0) {
      const text = `Scaled up replica set ${made.metadata.name} from 0 to ${replicas}`
      recorder.event(deployment, "Normal", "ScalingReplicaSet", text)
    }
    return made
  })

  private readonly tellNotMade = Effect.fnUntraced(
    { self: this },
    function* (this: Deployments, deployment: Deployment, { metadata }: ReplicaSet, error: ClusterError) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return
      const message = `Failed to create new replica set ${JSON.stringify(metadata.name)}: ${error.message}`
      const { cluster, recorder, timers } = this.parts
      const status = withCreateError(deployment, message, timers.now())
      if (status !== deployment.status) {
        // The creation error is returned, not an error of writing it to the status.
        yield* Effect.ignore(cluster.updateStatus("Deployment", { ...deployment, ...(status && { status }) }))
      }
      recorder.event(deployment, "Warning", "ReplicaSetCreateError", message)
    }
  )

  /**
   * The set is the deployment's own and not in the cache yet; or the name is taken, and the next attempt needs another
   * hash.
   */
  private readonly resolveCollision = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    wanted: ReplicaSet,
    error: ClusterError
  ) {
    const { cluster } = this.parts
    const found = yield* cluster.get("ReplicaSet", {
      namespace: wanted.metadata.namespace,
      name: wanted.metadata.name ?? ""
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
   * Writes status and revision if they differ. The revision is written through the status subresource too: this way an
   * annotation change does not increase the generation.
   */
  private readonly report = Effect.fnUntraced(function* (
    this: Deployments,
    deployment: Deployment,
    { newest, old }: Revisions,
    created: boolean
  ) {
    const { metadata } = deployment
    const revision = newest?.metadata.annotations?.[annotationRevision]
    const status = deploymentStatus(deployment, newest, old, this.parts.timers.now(), created)
    const isNoted = revision === undefined || metadata.annotations?.[annotationRevision] === revision
    if (status === undefined && isNoted) return
    const annotations = isNoted ? metadata.annotations : { ...metadata.annotations, [annotationRevision]: revision }
    yield* this.parts.cluster.updateStatus("Deployment", {
      ...deployment,
      metadata: annotations === undefined ? metadata : { ...metadata, annotations },
      ...(status === undefined ? {} : { status })
    })
  })

  private readonly forgetHistory = Effect.fnUntraced(function* (
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

  private planDeadline(deployment: Deployment): void {
    const left = progressDeadlineMs(deployment) - this.parts.timers.now()
    if (left > 0) this.parts.queue.addAfter(keyOf(deployment), left + 1000)
  }
}
