import { formatDuration } from "@rollcall/api"
import * as Result from "effect/Result"
import type { Env } from "../internal/Env.ts"
import type { ContainerLifecycle } from "../pod/ContainerLifecycle.ts"
import { recordContainerEvent, recordFailedPull, recordPresentImage, recordPullBackOff } from "../pod/PodEvents.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import { ImagePuller } from "./ImagePuller.ts"
import { fullImageName } from "./imageName.ts"
import { isBackingOff, type PullBackOffs, pullFailedAgain } from "./PullBackOff.ts"

type Settled = (failure: StartFailure | undefined) => void

/**
 * Sees to it that a container's image is on the node, by its pull policy. Which images a node has is the runtime's to
 * say; credentials are not modelled. Upstream: pkg/kubelet/images/image_manager.go EnsureImageExists.
 */
export class ImageManager {
  private readonly env: Env
  private readonly runtime: PodRuntime
  private readonly puller: ImagePuller

  constructor(env: Env, runtime: PodRuntime) {
    this.env = env
    this.runtime = runtime
    const { maxParallelImagePulls = Number.POSITIVE_INFINITY, serializeImagePulls } = env.config
    this.puller = new ImagePuller(serializeImagePulls ? 1 : maxParallelImagePulls)
  }

  /**
   * Returns undefined if the image is there, or why the container cannot be started now. After `pulling`, `settled` is
   * called later.
   */
  ensure(
    record: PodRecord,
    tracked: ContainerLifecycle,
    backOffs: PullBackOffs,
    settled: Settled
  ): StartFailure | "pulling" | undefined {
    const { image = "", imagePullPolicy, name } = tracked.container
    const parsed = image === "" ? Result.succeed("") : fullImageName(image)
    if (Result.isFailure(parsed)) {
      const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${parsed.failure}`
      return this.fail(record, tracked, "InvalidImageName", message, "InspectFailed")
    }
    const isPresent = this.runtime.containers?.images?.hasImage(record.pod, name, record)
    if (isPresent === undefined || (isPresent && imagePullPolicy !== "Always")) {
      recordPresentImage(this.env.recorder, record.pod, tracked.container, tracked.isInit)
      return undefined
    }
    if (imagePullPolicy === "Never") {
      const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`
      return this.fail(record, tracked, "ErrImageNeverPull", message, "ErrImageNeverPull")
    }
    const backOff = backOffs.get(image)
    if (backOff !== undefined && isBackingOff(backOff, this.env.timers.now())) {
      recordPullBackOff(this.env.recorder, record.pod, tracked.container, tracked.isInit)
      return { reason: "ImagePullBackOff", message: pullBackOffMessage(image, backOff.message) }
    }
    this.pull(record, tracked, backOffs, settled)
    return "pulling"
  }

  /** Records a failed pull, and sets the time before the next one. */
  pullFailed({ pod }: PodRecord, { container, isInit }: ContainerLifecycle, backOffs: PullBackOffs, message: string) {
    recordFailedPull(this.env.recorder, pod, container, isInit, message)
    const { image = "" } = container
    backOffs.set(image, pullFailedAgain(backOffs.get(image), this.env.timers.now(), message))
  }

  private pull(record: PodRecord, tracked: ContainerLifecycle, backOffs: PullBackOffs, settled: Settled): void {
    const { timers } = this.env
    const { image = "", name } = tracked.container
    this.record(record, tracked, "Normal", "Pulling", `Pulling image ${JSON.stringify(image)}`)
    const askedMs = timers.now()
    this.puller.begin(() => {
      const beganMs = timers.now()
      this.runtime.containers?.images?.pullImage(record.pod, name, record, (pulled) => {
        this.puller.ended()
        if (Result.isFailure(pulled)) {
          this.pullFailed(record, tracked, backOffs, pulled.failure)
          settled({ reason: "ErrImagePull", message: pulled.failure })
          return
        }
        const took = formatDuration(timers.now() - beganMs)
        const total = formatDuration(timers.now() - askedMs)
        const size = `Image size: ${pulled.success} bytes.`
        const message = `Successfully pulled image ${JSON.stringify(image)} in ${took} (${total} including waiting). ${size}`
        this.record(record, tracked, "Normal", "Pulled", message)
        settled(undefined)
      })
    })
  }

  /** Records the Event of a failure without a pull, and returns the failure. */
  private fail(
    record: PodRecord,
    tracked: ContainerLifecycle,
    reason: string,
    message: string,
    eventReason: string
  ): StartFailure {
    this.record(record, tracked, "Warning", eventReason, message)
    this.record(record, tracked, "Warning", "Failed", `Error: ${reason}`)
    return { reason, message }
  }

  private record(
    { pod }: PodRecord,
    { container, isInit }: ContainerLifecycle,
    type: "Normal" | "Warning",
    reason: string,
    message: string
  ): void {
    recordContainerEvent(this.env.recorder, pod, container, isInit, type, reason, message)
  }
}

/** The message of a container that waits for the next pull of its image, with that of the last one. */
export const pullBackOffMessage = (image: string, lastMessage: string): string =>
  `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${lastMessage}`
