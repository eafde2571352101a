import type { ContainerStatus, Pod } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { ImageService, PodRuntime } from "../runtime/PodRuntime.ts"
import {
  detectImages,
  type ImageDisk,
  type ImageGcPolicy,
  imageGcPass,
  noRecords,
  type RemovedImage,
  unusedImages
} from "./imageGc.ts"
import { fullImageName } from "./imageName.ts"

/** Upstream: pkg/kubelet/kubelet.go, ImageGCPeriod. */
const PERIOD_MS = 300_000
/** How soon a round is tried again that comes before the node's pods are known. */
const UNKNOWN_AGAIN_MS = 10_000

/** A pod on the node, and the statuses of its containers. */
export interface PodOnNode {
  readonly pod: Pod
  readonly statuses: ReadonlyArray<ContainerStatus>
}

/** The parts of a kubelet that its images depend on. */
interface ImageGcParts {
  readonly env: Env
  readonly runtime: PodRuntime
  readonly host: NodeHost
  /** Returns the pods of the node. */
  readonly pods: () => {
    readonly all: Iterable<PodOnNode>
    /** Undefined while the pods are not known. */
    readonly knownPods: () => unknown
  }
}

/** Is told what becomes of the images of a node. */
interface ImageGcOwner {
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  readonly imagesChanged: () => void
}

const fullName = (image: string): string => Result.getOrElse(fullImageName(image), () => image)

const exists = ({ lastState, state }: ContainerStatus): boolean =>
  (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined

/** Returns the images of the containers of pods, also of those that have ended and are kept. */
const usedImages = (pods: Iterable<PodOnNode>): ReadonlySet<string> => {
  const used = new Set<string>()
  for (const { pod, statuses } of pods) {
    const { containers, ephemeralContainers = [], initContainers = [], volumes = [] } = pod.spec
    for (const { image = "", name, volumeMounts = [] } of [...containers, ...initContainers, ...ephemeralContainers]) {
      if (!statuses.some((status) => status.name === name && exists(status))) continue
      used.add(fullName(image))
      for (const mount of volumeMounts) {
        const volume = volumes.find((candidate) => candidate.name === mount.name)
        const { reference } = (volume?.image ?? {}) as { readonly reference?: string }
        if (reference !== undefined) used.add(fullName(reference))
      }
    }
  }
  return used
}

/**
 * Removes the images of a node that nothing uses: every five minutes those that are too old or too many, and all of them when
 * the disk runs out. A node whose images are not known has none to remove, and no timer. Upstream:
 * pkg/kubelet/images/image_gc_manager.go; pkg/kubelet/kubelet.go, StartGarbageCollection.
 */
export class ImageGcManager {
  private readonly parts: ImageGcParts
  private readonly owner: ImageGcOwner
  private records = noRecords
  private timer: Timer | undefined = undefined
  private isRunning = false
  private beganMs = 0
  private hasFailed = false

  constructor(parts: ImageGcParts, owner: ImageGcOwner) {
    this.parts = parts
    this.owner = owner
  }

  /** Starts with the kubelet's process, which knows nothing of its images yet. */
  start(): void {
    this.isRunning = true
    this.beganMs = this.parts.env.timers.now()
    this.hasFailed = false
    this.records = noRecords
    if (this.isKnown) this.plan(this.beganMs)
  }

  stop(): void {
    this.isRunning = false
    if (this.timer !== undefined) this.parts.env.timers.cancel(this.timer)
    this.timer = undefined
  }

  /** Handles that the node has got an image, perhaps its first one that is known. */
  imagesChanged(): void {
    if (!this.isRunning || this.timer !== undefined) return
    const periods = Math.floor((this.parts.env.timers.now() - this.beganMs) / PERIOD_MS) + 1
    this.plan(this.beganMs + periods * PERIOD_MS)
  }

  /** Removes all images that nothing uses, because the disk runs out. */
  deleteUnused(): void {
    const { env } = this.parts
    const known = this.knownPods()
    if (known === undefined || !this.isKnown) return
    const nowMs = env.timers.now()
    const inUse = this.detect(known, nowMs)
    const { left, removed } = unusedImages(this.records, inUse, this.policy, nowMs)
    this.remove(removed)
    env.pullRecords.prune(new Set(left), nowMs)
  }

  private get policy(): ImageGcPolicy {
    const { config } = this.parts.env
    return {
      highThresholdPercent: config.imageGCHighThresholdPercent,
      lowThresholdPercent: config.imageGCLowThresholdPercent,
      minAgeMs: config.imageMinimumGCAgeMs,
      maxAgeMs: config.imageMaximumGCAgeMs
    }
  }

  private get images(): ImageService | undefined {
    return this.parts.runtime.containers?.images
  }

  private get isKnown(): boolean {
    return this.images?.listImages?.() !== undefined
  }

  private knownPods(): Iterable<PodOnNode> | undefined {
    const pods = this.parts.pods()
    return pods.knownPods() === undefined ? undefined : pods.all
  }

  private plan(atMs: number): void {
    const { timers } = this.parts.env
    this.timer = timers.at(atMs, () => {
      const known = this.knownPods()
      if (known !== undefined) guarded(timers, "image garbage collection", () => this.collect(known))
      if (this.isRunning) this.plan(timers.now() + (known === undefined ? UNKNOWN_AGAIN_MS : PERIOD_MS))
    })
  }

  /** Looks at the images, and which of them are used. */
  private detect(pods: Iterable<PodOnNode>, nowMs: number): ReadonlySet<string> {
    const inUse = usedImages(pods)
    this.records = detectImages(this.records, this.images?.listImages?.() ?? [], inUse, nowMs)
    return inUse
  }

  private collect(pods: Iterable<PodOnNode>): void {
    const { env } = this.parts
    const nowMs = env.timers.now()
    const inUse = this.detect(pods, nowMs)
    const { beganMs, policy, records } = this
    if (policy.highThresholdPercent === 100 && policy.maxAgeMs === 0) return
    const pass = imageGcPass({
      records,
      inUse,
      policy,
      nowMs,
      beganMs,
      disk: (aged) => {
        this.remove(aged)
        return this.disk()
      }
    })
    this.remove(pass.removed.filter(({ reason }) => reason === "space"))
    if (pass.left !== undefined) env.pullRecords.prune(new Set(pass.left), nowMs)
    this.report(pass.failure)
  }

  /** Reports that a round has failed. The first failure in a row is logged only, but for its cause. */
  private report(failure: ReturnType<typeof imageGcPass>["failure"]): void {
    const { env } = this.parts
    if (failure === undefined) {
      this.hasFailed = false
      return
    }
    const { message, reason } = failure
    this.owner.nodeEvent("Warning", reason, message)
    const fields = { err: message }
    if (this.hasFailed) {
      env.log("error", "Image garbage collection failed multiple times in a row", fields)
      this.owner.nodeEvent("Warning", "ImageGCFailed", message)
    } else {
      env.log("error", "Image garbage collection failed once. Stats initialization may not have completed yet", fields)
    }
    this.hasFailed = true
  }

  private disk(): ImageDisk | undefined {
    const { signals } = this.parts.host.resources?.read() ?? {}
    const reading = signals?.["imagefs.available"] ?? signals?.["nodefs.available"]
    return reading && { availableBytes: reading.available, capacityBytes: reading.capacity }
  }

  private remove(removed: ReadonlyArray<RemovedImage>): void {
    if (removed.length === 0) return
    const records = new Map(this.records)
    for (const { reason, ref } of removed) {
      this.images?.removeImage?.(ref)
      records.delete(ref)
      this.parts.env.imageMeter?.imageCollected(reason)
    }
    this.records = records
    this.owner.imagesChanged()
  }
}
