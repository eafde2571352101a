import { claimNameOf, claimsOf, foreignClaim, keyOf, type Pod, type PodClaim, type ResourceClaim } from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  splitKey,
  type WorkQueue
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ask } from "../Requests.ts"
import type { ClaimMeters } from "./metrics.ts"
import {
  type Consumer,
  claimsToRelease,
  FINALIZER,
  isGeneratedFor,
  isPodDone,
  needsReservation,
  newClaim,
  owningPod,
  podNeedsWork,
  reservedFor
} from "./podClaims.ts"

/** What the controller needs. */
export interface ResourceClaimParts {
  readonly cluster: ClusterShape
  readonly recorder: EventRecorder
  readonly queue: WorkQueue<string>
  readonly meters: ClaimMeters
  /** Has the index `users`: the namespace of a pod that uses claims. */
  readonly pods: Informer<"Pod">
  /** Has the index `owner`: the UID of the pod that controls the claim. */
  readonly claims: Informer<"ResourceClaim">
  readonly templates: Informer<"ResourceClaimTemplate">
}

/** A claim of a pod cannot be created or reserved. */
export class ClaimFailed extends Schema.TaggedError<ClaimFailed>()("ClaimFailed", { message: Schema.String }) {}

const failed = (message: string) => new ClaimFailed({ message })
const wrapped = (what: string) =>
  Effect.mapError(({ message }: { readonly message: string }) => failed(`${what}: ${message}`))

const FIELD_MANAGER = "ResourceClaimController"
const POD = "pod:"
const CLAIM = "claim:"

/** The value of the index `users`. */
export const namespaceOfUser = (pod: Pod): string | undefined =>
  claimsOf(pod).length > 0 || pod.status?.extendedResourceClaimStatus !== undefined ? pod.metadata.namespace : undefined

/**
 * Creates the claims that pods use from their templates, reserves them for pods that were bound without a scheduler, and
 * releases, deallocates and deletes them when pods end. Upstream: pkg/controller/resourceclaim/controller.go.
 */
export class ResourceClaims {
  private readonly parts: ResourceClaimParts
  /** Claims that were created and are not in the cache yet, by the UID of the pod and the name there. */
  private readonly created = new Map<string, ResourceClaim>()

  constructor(parts: ResourceClaimParts) {
    this.parts = parts
  }

  /** Must be called for each change of a pod. */
  podChanged(pod: Pod, isDeleted: boolean): void {
    const { claims, queue } = this.parts
    const { namespace = "" } = pod.metadata
    if (namespaceOfUser(pod) === undefined) return
    for (const name of claimsToRelease(pod, isDeleted)) queue.add(`${CLAIM}${namespace}/${name}`)
    if (!isDeleted && podNeedsWork(pod, (name) => claims.find(name, namespace))) queue.add(`${POD}${keyOf(pod)}`)
  }

  /** Must be called for each change of a claim. */
  claimChanged(claim: ResourceClaim, isDeleted: boolean): void {
    const { pods, queue } = this.parts
    const { name, namespace = "" } = claim.metadata
    for (const [key, made] of this.created) if (made.metadata.uid === claim.metadata.uid) this.created.delete(key)
    if (!isDeleted) queue.add(`${CLAIM}${keyOf(claim)}`)
    for (const pod of pods.byIndex("users", namespace)) {
      const uses = claimsOf(pod).some((podClaim) => {
        const named = claimNameOf(pod, podClaim)
        return Result.isSuccess(named) && named.success?.name === name
      })
      if (uses) this.podChanged(pod, false)
    }
  }

  /** Must be called when a template was added or changed. */
  templateChanged(name: string, namespace: string): void {
    for (const pod of this.parts.pods.byIndex("users", namespace)) {
      if (claimsOf(pod).some((one) => one.resourceClaimTemplateName === name)) this.podChanged(pod, false)
    }
  }

  sync(key: string): Effect.Effect<void, ClusterError | ClaimFailed> {
    const at = key.indexOf(":") + 1
    const { name, namespace } = splitKey(key.slice(at))
    return key.startsWith(POD) ? this.syncPod(name, namespace) : this.syncClaim(name, namespace)
  }

  private readonly syncPod = Effect.fnUntraced(
    { self: this },
    function* (
      this: ResourceClaims,
      name: string,
      namespace: string
    ): Effect.fn.Return<void, ClusterError | ClaimFailed> {
      const { claims, cluster, pods, recorder } = this.parts
      const pod = pods.find(name, namespace)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return
      const made: Array<{ readonly name: string; readonly resourceClaimName: string }> = []
      for (const podClaim of claimsOf(pod)) {
        const claim = yield* this.claimFor(pod, podClaim).pipe(
          Effect.tapError(({ message }) =>
            Effect.sync(() => {
              const text = `PodResourceClaim ${podClaim.name}: ${message}`
              recorder.event(pod, "Warning", "FailedResourceClaimCreation", text)
            })
          ),
          wrapped(`pod ${namespace}/${name}, PodResourceClaim ${podClaim.name}`)
        )
        if (claim !== undefined) made.push({ name: podClaim.name, resourceClaimName: claim.metadata.name ?? "" })
      }
      if (made.length > 0) {
        const written = this.applyStatus(name, namespace, made)
        yield* written.pipe(wrapped(`update pod ${namespace}/${name} ResourceClaimStatuses`))
      }
      if ((pod.spec.nodeName ?? "") === "") return
      for (const podClaim of claimsOf(pod)) {
        const named = yield* Effect.mapError(Effect.fromResult(claimNameOf(pod, podClaim)), failed)
        if (named === undefined)
          return yield* failed(`pod ${JSON.stringify(keyOf(pod))}: ResourceClaim not created yet`)
        if (named.name === undefined) continue
        const claim = claims.find(named.name, namespace)
        if (claim === undefined) return
        const foreign = named.isGenerated ? foreignClaim(pod, claim) : undefined
        if (foreign !== undefined) return yield* failed(foreign)
        if (!needsReservation(pod, claim)) continue
        const reserving = cluster.updateStatus("ResourceClaim", reservedFor(pod, claim))
        yield* reserving.pipe(wrapped(`reserve claim ${keyOf(claim)}`))
      }
    }
  )

  /** Writes which claims were made for a pod. */
  private applyStatus(
    name: string,
    namespace: string,
    resourceClaimStatuses: ReadonlyArray<object>
  ): Effect.Effect<void, ClusterError> {
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, status: { resourceClaimStatuses } }
    const address = { verb: "patch", kind: "Pod", name, namespace, subresource: "status" } as const
    return Effect.callback<void, ClusterError>((resume) =>
      ask(
        this.parts.cluster.connection,
        { ...address, patchType: "apply", body, fieldManager: FIELD_MANAGER, force: true },
        (answer) => resume(Result.isSuccess(answer) ? Effect.void : Effect.fail(answer.failure))
      )
    )
  }

  /** Returns the claim that the pod's status lacks, created if need be. Upstream: handleClaim. */
  private readonly claimFor = Effect.fnUntraced(
    { self: this },
    function* (
      this: ResourceClaims,
      pod: Pod,
      podClaim: PodClaim
    ): Effect.fn.Return<ResourceClaim | undefined, ClusterError | ClaimFailed> {
      const { claims, cluster, meters, templates } = this.parts
      const { namespace = "", uid = "" } = pod.metadata
      const named = yield* Effect.mapError(Effect.fromResult(claimNameOf(pod, podClaim)), (why) =>
        failed(`checking for claim before creating it: ${why}`)
      )
      if (named !== undefined) {
        if (named.name === undefined) return undefined
        const claim = claims.find(named.name, namespace)
        const foreign = claim === undefined || !named.isGenerated ? undefined : foreignClaim(pod, claim)
        if (claim !== undefined && foreign === undefined) return undefined
        if (foreign !== undefined) {
          const text = "Claim that was created for the pod is no longer owned by the pod, creating a new one"
          const fields = { err: foreign, pod: keyOf(pod), podClaim: podClaim.name, resourceClaim: named.name }
          yield* Effect.logError(text).pipe(Effect.annotateLogs(fields))
        }
      }
      const template = podClaim.resourceClaimTemplateName
      if (template === undefined) return undefined
      const key = `${uid}/${podClaim.name}`
      const known =
        claims.byIndex("owner", uid).find((one) => isGeneratedFor(pod, podClaim, one)) ?? this.created.get(key)
      if (known !== undefined) return known
      const source = templates.find(template, namespace)
      if (source === undefined) {
        const missing = `resourceclaimtemplate.resource.k8s.io ${JSON.stringify(template)} not found`
        return yield* failed(`resource claim template ${JSON.stringify(template)}: ${missing}`)
      }
      const wanted = newClaim(pod, podClaim, source)
      const claim = yield* cluster.create("ResourceClaim", wanted).pipe(
        Effect.tapError(() => Effect.sync(() => meters.created(wanted, "failure"))),
        wrapped("create ResourceClaim ")
      )
      meters.created(claim, "success")
      this.created.set(key, claim)
      return claim
    }
  )

  /** Whether a consumer still needs the claim; what is no pod is kept. */
  private isConsumer(
    { apiGroup = "", name, resource, uid }: Consumer,
    namespace: string
  ): Effect.Effect<boolean, ClusterError> {
    if (apiGroup !== "" || resource !== "pods") return Effect.succeed(true)
    const { cluster, pods } = this.parts
    const cached = pods.find(name, namespace)
    if (cached !== undefined) return Effect.succeed(cached.metadata.uid === uid && !isPodDone(cached))
    // The cache may not have the pod yet, which a scheduler has just entered.
    return cluster.get("Pod", { name, namespace }).pipe(
      Effect.map((pod) => pod.metadata.uid === uid),
      Effect.catchIf(isNotFound, () => Effect.succeed(false))
    )
  }

  private readonly syncClaim = Effect.fnUntraced(
    { self: this },
    function* (
      this: ResourceClaims,
      name: string,
      namespace: string
    ): Effect.fn.Return<void, ClusterError | ClaimFailed> {
      const { claims, cluster, pods } = this.parts
      const claim = claims.find(name, namespace)
      if (claim === undefined) return
      const consumers = claim.status?.reservedFor ?? []
      const remaining: Array<Consumer> = []
      for (const consumer of consumers) if (yield* this.isConsumer(consumer, namespace)) remaining.push(consumer)
      if (remaining.length < consumers.length) yield* this.release(claim, remaining)
      else if (remaining.length === 0 && claim.metadata.deletionTimestamp !== undefined) yield* this.release(claim, [])
      if (remaining.length > 0) return
      const owner = owningPod(claim)
      const pod = owner && pods.find(owner.name, namespace)
      if (pod === undefined || (pod.metadata.uid === owner?.uid && !isPodDone(pod))) return
      yield* cluster
        .delete("ResourceClaim", { name, namespace })
        .pipe(wrapped(`delete unused generated claim ${keyOf(claim)}`))
    }
  )

  /** Writes who still uses the claim. One that nobody uses is deallocated, and may be deleted. */
  private readonly release = Effect.fnUntraced(
    { self: this },
    function* (this: ResourceClaims, claim: ResourceClaim, remaining: ReadonlyArray<Consumer>) {
      const { cluster } = this.parts
      const isProtected = claim.metadata.finalizers?.includes(FINALIZER) === true
      const { allocation, reservedFor: consumers = [], ...rest } = claim.status ?? {}
      const isFreed = remaining.length === 0 && isProtected
      let written = claim
      if (remaining.length < consumers.length || (isFreed && allocation !== undefined)) {
        const kept = allocation === undefined || isFreed ? rest : { ...rest, allocation }
        const status = remaining.length === 0 ? kept : { ...kept, reservedFor: remaining }
        written = yield* cluster.updateStatus("ResourceClaim", { ...claim, status })
      }
      const { finalizers = [], ...metadata } = written.metadata
      if (!finalizers.includes(FINALIZER) || written.status?.allocation !== undefined) return
      const left = finalizers.filter((finalizer) => finalizer !== FINALIZER)
      const changed = left.length === 0 ? metadata : { ...metadata, finalizers: left }
      yield* cluster.update("ResourceClaim", { ...written, metadata: changed })
    }
  )
}
