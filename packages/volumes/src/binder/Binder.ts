import {
  defaultStorageClassOf,
  formatTime,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  storageClassNameOf
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { NewestVersions } from "../NewestVersions.ts"
import type { PodsByClaim } from "../pods/PodsByClaim.ts"
import { annealedClaim, annealedVolume } from "./anneal.ts"
import { claimBoundTo, claimFor, claimInPhase, unboundVolume, volumeBoundTo, volumeInPhase } from "./changes.ts"
import { type ClaimView, planClaim } from "./claimPlan.ts"
import type { EventDraft } from "./EventDraft.ts"
import { Reclaimer } from "./Reclaimer.ts"
import { planVolume } from "./volumePlan.ts"

/** What the binder needs. */
export interface BinderParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly claims: Informer<"PersistentVolumeClaim">
  /** With the index `candidates`, by `candidateKey`. */
  readonly volumes: Informer<"PersistentVolume">
  readonly classes: Informer<"StorageClass">
  readonly pods: PodsByClaim
  readonly claimQueue: WorkQueue<string>
  readonly volumeQueue: WorkQueue<string>
  /** Runs an effect beside the queues, as long as the controller lives. */
  readonly fork: (effect: Effect.Effect<void>) => Effect.Effect<void>
}

const classKey = (className: string): string => `class ${className}`
const claimRefKey = (namespace: string | undefined, name: string | undefined): string => `claim ${namespace}/${name}`

/** The value of the index `candidates`: the class of an unbound volume, or the claim that a pre-bound volume names. */
export const candidateKey = (volume: PersistentVolume): string => {
  const { claimRef } = volume.spec ?? {}
  return claimRef === undefined ? classKey(storageClassNameOf(volume)) : claimRefKey(claimRef.namespace, claimRef.name)
}

type Phase = NonNullable<NonNullable<PersistentVolume["status"]>["phase"]>

/**
 * Binds claims and volumes one to one, and sets the phase of those that lose their counterpart.
 * Upstream: pkg/controller/volume/persistentvolume.
 */
export class Binder {
  private readonly parts: BinderParts
  private readonly claims: NewestVersions<"PersistentVolumeClaim">
  private readonly volumes: NewestVersions<"PersistentVolume">
  private readonly view: ClaimView
  private readonly reclaimer: Reclaimer

  constructor(parts: BinderParts) {
    this.parts = parts
    this.claims = new NewestVersions(parts.claims)
    this.volumes = new NewestVersions(parts.volumes)
    this.reclaimer = new Reclaimer({
      ...parts,
      isReleased: (volume) => planVolume(volume, this.cachedClaimOf(volume)).do === "release",
      hasClaim: (key) => this.claims.get(key) !== undefined,
      fail: (volume, failure) => this.failVolume(volume, failure),
      unbind: (volume) => this.unbind(volume)
    })
    const candidates = (key: string) => this.volumes.newest(parts.volumes.byIndex("candidates", key))
    this.view = {
      volume: (name) => this.volumes.get(name),
      candidates: (claim) => [
        ...candidates(claimRefKey(claim.metadata.namespace, claim.metadata.name)),
        ...candidates(classKey(storageClassNameOf(claim)))
      ],
      storageClass: (name) => parts.classes.find(name),
      defaultClass: (): StorageClass | undefined => defaultStorageClassOf(parts.classes.list()),
      unplacedPods: (claim) =>
        parts.pods.using(keyOf(claim)).flatMap(({ metadata, spec }) => (spec.nodeName ? [] : (metadata.name ?? "")))
    }
  }

  /** Queues every claim and volume that is not bound: their time-dependent conditions may have changed. */
  resync(): void {
    for (const claim of this.parts.claims.list()) if (!this.isSettled(claim)) this.parts.claimQueue.add(keyOf(claim))
    for (const volume of this.parts.volumes.list()) {
      const { claimRef } = volume.spec ?? {}
      const claim = this.claims.get(`${claimRef?.namespace}/${claimRef?.name}`)
      const isBoundHere = claim !== undefined && claim.spec?.volumeName === volume.metadata.name
      if (volume.status?.phase !== "Bound" || !isBoundHere) this.parts.volumeQueue.add(volume.metadata.name ?? "")
    }
  }

  private isSettled(claim: PersistentVolumeClaim): boolean {
    const volume = this.volumes.get(claim.spec?.volumeName ?? "")
    return (
      claim.status?.phase === "Bound" &&
      volume?.status?.phase === "Bound" &&
      volume.spec?.claimRef?.uid === claim.metadata.uid
    )
  }

  readonly syncClaim = Effect.fnUntraced({ self: this }, function* (this: Binder, key: string) {
    const known = this.claims.get(key)
    if (known === undefined) return
    const claim = yield* this.writeClaim(known, annealedClaim(known))
    const step = planClaim(claim, this.view)
    switch (step.do) {
      case "bind":
        return yield* this.bind(step.volume, claim)
      case "wait":
        if (step.event !== undefined) this.record(claim, step.event)
        yield* this.setClaimPhase(claim, "Pending")
        return
      case "classify":
        yield* this.writeClaim(claim, { ...claim, spec: { ...claim.spec, storageClassName: step.className } })
        return
      case "provision":
        this.record(yield* this.writeClaim(claim, claimFor(claim, step.provisioner)), step.event)
        return
      case "event":
        this.record(claim, step.event)
        return
      case "lose":
        if (claim.status?.phase === "Lost") return
        this.record(yield* this.setClaimPhase(claim, "Lost"), step.event)
    }
  })

  readonly syncVolume = Effect.fnUntraced({ self: this }, function* (this: Binder, name: string) {
    const known = this.volumes.get(name)
    if (known === undefined) return
    const volume = yield* this.writeVolume(known, annealedVolume(known))
    const claim = yield* this.claimOf(volume)
    const step = planVolume(volume, claim)
    switch (step.do) {
      case "phase":
        yield* this.setVolumePhase(volume, step.phase)
        return
      case "enqueue claim":
        if (claim !== undefined) this.parts.claimQueue.add(keyOf(claim))
        return
      case "event":
        this.record(volume, step.volumeEvent)
        if (claim !== undefined) this.record(claim, step.claimEvent)
        return
      case "unbind":
        yield* this.unbind(volume)
        return
      case "release":
        yield* this.reclaimer.reclaim(
          volume.status?.phase === "Failed" ? volume : yield* this.setVolumePhase(volume, "Released")
        )
    }
  })

  /**
   * The claim that a volume references; undefined if it does not exist. A claim that the cache lacks may be newer than
   * the cache, so it is read from the API.
   */
  private claimOf(volume: PersistentVolume): Effect.Effect<PersistentVolumeClaim | undefined, ClusterError> {
    const { name = "", namespace = "", uid } = volume.spec?.claimRef ?? {}
    const cached = this.cachedClaimOf(volume)
    const isReleased = volume.status?.phase === "Released" || volume.status?.phase === "Failed"
    if (!uid || cached !== undefined || isReleased) return Effect.succeed(cached)
    return this.parts.cluster.get("PersistentVolumeClaim", { namespace, name }).pipe(
      Effect.map((claim) => (claim.metadata.uid === uid ? claim : undefined)),
      Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
    )
  }

  /** The claim with the name and UID that a volume references, as far as it is cached. */
  private cachedClaimOf({ spec }: PersistentVolume): PersistentVolumeClaim | undefined {
    const { name, namespace, uid } = spec?.claimRef ?? {}
    const cached = uid ? this.claims.get(`${namespace}/${name}`) : undefined
    return cached?.metadata.uid === uid ? cached : undefined
  }

  private readonly unbind = Effect.fnUntraced({ self: this }, function* (this: Binder, volume: PersistentVolume) {
    yield* this.setVolumePhase(yield* this.writeVolume(volume, unboundVolume(volume)), "Available")
  })

  private readonly failVolume = Effect.fnUntraced(
    { self: this },
    function* (this: Binder, volume: PersistentVolume, failure: EventDraft) {
      if (volume.status?.phase === "Failed") return
      this.record(yield* this.setVolumePhase(volume, "Failed", failure.message), failure)
    }
  )

  /** Binds the two. The volume is written first: if two claims want it, only one of the writes succeeds. */
  private readonly bind = Effect.fnUntraced(
    { self: this },
    function* (this: Binder, volume: PersistentVolume, claim: PersistentVolumeClaim) {
      const withClaimRef = yield* this.writeVolume(volume, volumeBoundTo(volume, claim))
      const boundVolume = yield* this.setVolumePhase(withClaimRef, "Bound")
      const boundClaim = yield* this.writeClaim(claim, claimBoundTo(claim, boundVolume))
      yield* this.setClaimPhase(boundClaim, "Bound", boundVolume)
    }
  )

  private record(object: PersistentVolume | PersistentVolumeClaim, { message, reason, type }: EventDraft): void {
    this.parts.recorder.event(object, type, reason, message)
  }

  private setVolumePhase(volume: PersistentVolume, phase: Phase, message = "") {
    const next = volumeInPhase(volume, phase, formatTime(this.parts.timers.now()), message)
    if (next === volume) return Effect.succeed(volume)
    return this.noteVolume(this.parts.cluster.updateStatus("PersistentVolume", next))
  }

  private setClaimPhase(claim: PersistentVolumeClaim, phase: "Pending" | "Bound" | "Lost", volume?: PersistentVolume) {
    const next = claimInPhase(claim, phase, volume)
    if (next === claim) return Effect.succeed(claim)
    return this.noteClaim(this.parts.cluster.updateStatus("PersistentVolumeClaim", next))
  }

  private writeVolume(volume: PersistentVolume, next: PersistentVolume) {
    return next === volume
      ? Effect.succeed(volume)
      : this.noteVolume(this.parts.cluster.update("PersistentVolume", next))
  }

  private writeClaim(claim: PersistentVolumeClaim, next: PersistentVolumeClaim) {
    return next === claim
      ? Effect.succeed(claim)
      : this.noteClaim(this.parts.cluster.update("PersistentVolumeClaim", next))
  }

  private noteVolume(written: Effect.Effect<PersistentVolume, ClusterError>) {
    return Effect.tap(written, (volume) => Effect.sync(() => this.volumes.note(volume)))
  }

  private noteClaim(written: Effect.Effect<PersistentVolumeClaim, ClusterError>) {
    return Effect.tap(written, (claim) => Effect.sync(() => this.claims.note(claim)))
  }
}
