import type { Container, Pod } from "@rollcall/api"
import { TokenBucket } from "@rollcall/eviction/rules"
import * as Result from "effect/Result"
import type { TrackedCredentials } from "../credentials/Keyring.ts"
import { lookUpCredentials } from "../credentials/lookUpCredentials.ts"
import type { Env } from "../internal/Env.ts"
import {
  type EventKind,
  recordContainerEvent,
  recordFailedPull,
  recordImagePulled,
  recordNotStarted,
  recordPresentImage,
  recordPullBackOff
} from "../pod/PodEvents.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import { type AskedImage, ImageAccess } from "./ImageAccess.ts"
import { ImagePuller } from "./ImagePuller.ts"
import { fullImageName } from "./imageName.ts"
import { withVolumeImage } from "./imageVolumes.ts"
import { isBackingOff, type PullBackOffs, pullFailedAgain } from "./PullBackOff.ts"
import { PULL_QPS_EXCEEDED, pullFailureOf } from "./pullFailure.ts"
import { type Pulled, pullWith } from "./pullWith.ts"

type Settled = (failure: StartFailure | undefined) => void
type Credentials = Result.Result<ReadonlyArray<TrackedCredentials>, string>

/** What has an image: a container, or a volume in the form of one. */
export interface ImageUser {
  readonly container: Container
  readonly isInit: EventKind
}

/** Returns the pod in which the runtime finds the image. */
const podWithImage = ({ pod }: PodRecord, { container, isInit }: ImageUser): Pod =>
  isInit === "volumes" ? withVolumeImage(pod, container) : pod

/** A container, or a volume, that needs its image. */
interface Need extends AskedImage {
  readonly record: PodRecord
  readonly tracked: ImageUser
  readonly backOffs: PullBackOffs
}

/**
 * Sees to it that a container's image is on the node, by its pull policy, and that its pod may use it. Which images a node has is the
 * runtime's to say. Upstream: pkg/kubelet/images/image_manager.go EnsureImageExists.
 */
export class ImageManager {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly puller: ImagePuller
  private readonly access: ImageAccess
  /** Refuses pulls beyond `registryPullQPS`; undefined without that limit. */
  private readonly throttle: TokenBucket | undefined
  private isStopped = false

  constructor(env: Env, runtime: PodRuntime) {
    this.env = env
    this.runtime = runtime
    const {
      maxParallelImagePulls = Number.POSITIVE_INFINITY,
      registryBurst,
      registryPullQPS,
      serializeImagePulls
    } = env.config
    this.puller = new ImagePuller(serializeImagePulls ? 1 : maxParallelImagePulls)
    this.throttle = registryPullQPS === 0 ? undefined : new TokenBucket(registryPullQPS, registryBurst)
    this.access = new ImageAccess(env.config, env.pullRecords, env.imageMeter, env.timers.now)
  }

  /** Ends with the kubelet's process, which does not hear of its pulls any more. */
  stop(): void {
    this.isStopped = true
    this.env.pullRecords.processEnded()
  }

  /**
   * Returns undefined if the image is there, or why the container cannot be started now. After `pulling`, `settled` is
   * called later.
   */
  ensure(
    record: PodRecord,
    tracked: ImageUser,
    backOffs: PullBackOffs,
    settled: Settled
  ): StartFailure | "pulling" | undefined {
    let known: { readonly failure: StartFailure | undefined } | undefined
    let isLater = false
    this.ensureThen(record, tracked, backOffs, (failure) => {
      if (isLater) settled(failure)
      else known = { failure }
    })
    isLater = true
    return known === undefined ? "pulling" : known.failure
  }

  /** Records a failed pull, and sets the time before the next one. */
  pullFailed(
    { pod }: PodRecord,
    { container, isInit }: ImageUser,
    backOffs: PullBackOffs,
    error: string
  ): StartFailure {
    const { image = "" } = container
    const failure = pullFailureOf(image, error)
    recordFailedPull(this.env.recorder, pod, container, isInit, error, failure.reason)
    const message = `${failure.reason}: ${failure.message}`
    backOffs.set(image, pullFailedAgain(backOffs.get(image), this.env.timers.now(), message))
    return failure
  }

  private ensureThen(record: PodRecord, tracked: ImageUser, backOffs: PullBackOffs, done: Settled): void {
    const { image = "", imagePullPolicy = "IfNotPresent", name } = tracked.container
    const full = image === "" ? Result.succeed("") : fullImageName(image)
    if (Result.isFailure(full)) {
      this.env.imageMeter?.imageEnsured(imagePullPolicy, undefined, undefined)
      const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${full.failure}`
      done(this.fail(record, tracked, "InvalidImageName", message, "InspectFailed"))
      return
    }
    const need = { record, tracked, backOffs, image, ref: full.success }
    const isPresent = this.runtime.containers?.images?.hasImage(podWithImage(record, tracked), name, record)
    if (isPresent === undefined) this.present(need, done)
    else if (imagePullPolicy === "Always") this.pullThen(need, undefined, done)
    else if (isPresent) this.whenPresent(need, done)
    else if (imagePullPolicy === "Never") done(this.neverPulled(need, false, undefined))
    else this.pullThen(need, false, done)
  }

  /** Looks whether the pod may use an image that is on the node. */
  private whenPresent(need: Need, done: Settled): void {
    const access = this.access.isVerified ? this.access.decide(need) : "allowed"
    if (access === "allowed") {
      this.present(need, done)
      return
    }
    if (access === "mustPull") {
      this.notAllowed(need, undefined, done)
      return
    }
    this.lookUp(need, (found) => {
      if (this.access.mayUse(need, access, found)) this.present(need, done)
      else this.notAllowed(need, found, done)
    })
  }

  private notAllowed(need: Need, found: Credentials | undefined, done: Settled): void {
    if (need.tracked.container.imagePullPolicy === "Never") done(this.neverPulled(need, true, true))
    else this.pullThen(need, true, done, found)
  }

  private present({ record, tracked }: Need, done: Settled): void {
    const { container, isInit } = tracked
    this.env.imageMeter?.imageEnsured(container.imagePullPolicy ?? "IfNotPresent", true, false)
    recordPresentImage(this.env.recorder, record.pod, container, isInit, this.access.isVerified)
    done(undefined)
  }

  /** An image that is there says no more than one that is missing, so that it is not told to those without access. */
  private neverPulled({ image, record, tracked }: Need, isPresent: boolean, mustPull: true | undefined): StartFailure {
    this.env.imageMeter?.imageEnsured("Never", isPresent, mustPull)
    const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`
    return this.fail(record, tracked, "ErrImageNeverPull", message, "ErrImageNeverPull")
  }

  private lookUp({ image, record }: Need, done: (found: Credentials) => void): void {
    const { credentialProviders: providers } = this.env
    const ofNode = this.runtime.containers?.images?.nodeCredentials?.()
    lookUpCredentials({ references: () => this.env.references, ofNode, providers }, record.pod, image, done)
  }

  private pullThen(need: Need, isPresent: boolean | undefined, done: Settled, known?: Credentials): void {
    const { image, record, tracked } = need
    const { container } = tracked
    this.env.imageMeter?.imageEnsured(container.imagePullPolicy ?? "IfNotPresent", isPresent, true)
    const proceed = (found: Credentials): void => {
      if (Result.isFailure(found)) {
        done(this.fail(record, tracked, found.failure, found.failure))
        return
      }
      const backOff = need.backOffs.get(image)
      if (backOff !== undefined && isBackingOff(backOff, this.env.timers.now())) {
        recordPullBackOff(this.env.recorder, record.pod, container, tracked.isInit)
        done({ reason: "ImagePullBackOff", message: pullBackOffMessage(image, backOff.message) })
      } else this.pull(need, found.success, done)
    }
    if (known === undefined) this.lookUp(need, proceed)
    else proceed(known)
  }

  private pull(need: Need, credentials: ReadonlyArray<TrackedCredentials>, done: Settled): void {
    const { pullRecords, timers } = this.env
    const { image, record, tracked } = need
    this.record(record, tracked, "Normal", "Pulling", `Pulling image ${JSON.stringify(image)}`)
    if (this.access.isVerified) pullRecords.begin(image)
    const askedMs = timers.now()
    this.puller.begin(() => {
      const beganMs = timers.now()
      const ended = (pulled: Result.Result<Pulled, string>): void => {
        if (this.isStopped) return
        this.puller.ended()
        done(this.pulled(need, pulled, { askedMs, beganMs }))
      }
      const images = this.throttle?.tryTake(beganMs) === false ? undefined : this.runtime.containers?.images
      const asked = { pod: podWithImage(record, tracked), container: tracked.container.name, observer: record }
      if (images === undefined) timers.after(0, () => ended(Result.fail(PULL_QPS_EXCEEDED)))
      else pullWith(images, asked, credentials, ended)
    })
  }

  /** Records what a pull has given, and returns why it failed. */
  private pulled(
    { backOffs, image, record, ref, tracked }: Need,
    pulled: Result.Result<Pulled, string>,
    { askedMs, beganMs }: { readonly askedMs: number; readonly beganMs: number }
  ): StartFailure | undefined {
    const { imageMeter, pullRecords, recorder, timers } = this.env
    const now = timers.now()
    if (Result.isFailure(pulled)) {
      if (this.access.isVerified) pullRecords.failed(image)
      return this.pullFailed(record, tracked, backOffs, pulled.failure)
    }
    const { access, sizeBytes } = pulled.success
    if (this.access.isVerified) pullRecords.succeeded(image, ref, access, now)
    recordImagePulled(recorder, record.pod, tracked, { tookMs: now - beganMs, totalMs: now - askedMs, sizeBytes })
    imageMeter?.imagePulled(sizeBytes, (now - askedMs) / 1000)
    return undefined
  }

  /** Records the Events of a failure without a pull, and returns the failure. */
  private fail(
    record: PodRecord,
    tracked: ImageUser,
    reason: string,
    message: string,
    eventReason?: string
  ): StartFailure {
    if (eventReason !== undefined) this.record(record, tracked, "Warning", eventReason, message)
    recordNotStarted(this.env.recorder, record.pod, tracked.container, tracked.isInit, reason)
    return { reason, message }
  }

  private record(
    { pod }: PodRecord,
    { container, isInit }: ImageUser,
    type: "Normal" | "Warning",
    reason: string,
    message: string
  ): void {
    recordContainerEvent(this.env.recorder, pod, container, isInit, type, reason, message)
  }
}

/** The message of a container that waits for the next pull of its image, with that of the last one. */
export const pullBackOffMessage = (image: string, lastMessage: string): string =>
  `Back-off pulling image ${JSON.stringify(image)}: ${lastMessage}`
