import { ImageManager } from "../images/ImageManager.ts"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import { type Containers, containerWaits } from "./Containers.ts"
import { configProblemOf } from "./configProblem.ts"
import { recordContainerEvent } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { retryDelayMs } from "./PodRetries.ts"

/** Starts containers: first their images, then the runtime's part. */
export class ContainerStarter {
  private readonly env: Env
  private readonly runtime: PodRuntime
  /** Handles that a container could not be started after a pull, or for want of one. */
  private readonly notPulled: (record: PodRecord, tracked: ContainerLifecycle, failure: StartFailure) => void
  private images: ImageManager

  constructor(
    env: Env,
    runtime: PodRuntime,
    notPulled: (record: PodRecord, tracked: ContainerLifecycle, failure: StartFailure) => void
  ) {
    this.env = env
    this.runtime = runtime
    this.notPulled = notPulled
    this.images = new ImageManager(env, runtime)
  }

  /** Ends with the kubelet's process: pulls in progress are not heard of any more. */
  stopProcess(): void {
    this.images = new ImageManager(this.env, this.runtime)
  }

  /** Records that a runtime which pulls images by itself could not pull one. */
  pullFailed(record: PodRecord, { pulls }: PodLifecycle, tracked: ContainerLifecycle, { message }: StartFailure): void {
    this.images.pullFailed(record, tracked, pulls, message)
  }

  /** Starts a container, after a pull if its image is not there. Returns the pod's containers if it cannot be started. */
  start(record: PodRecord, lifecycle: PodLifecycle, tracked: ContainerLifecycle, containers: Containers): Containers {
    const { images } = this
    const asked = images.ensure(record, tracked, lifecycle.pulls, (failure) => {
      if (images !== this.images || record.lifecycle !== lifecycle || !tracked.isPulling) return
      tracked.isPulling = false
      if (failure !== undefined) this.notPulled(record, tracked, failure)
      else if (record.stage === "running") this.pulled(record, tracked)
    })
    const failure = asked ?? this.configFailure(record, tracked)
    if (failure === undefined) this.startNow(record, tracked)
    else if (failure === "pulling") tracked.isPulling = true
    else return this.notStarted(tracked, containers, failure)
    return containers
  }

  /** Returns why no container can be made of the spec, and records it. Upstream: kuberuntime_container.go, startContainer. */
  private configFailure({ pod }: PodRecord, { container, isInit }: ContainerLifecycle): StartFailure | undefined {
    const message = configProblemOf(pod, container)
    if (message === undefined) return undefined
    recordContainerEvent(this.env.recorder, pod, container, isInit, "Warning", "Failed", `Error: ${message}`)
    return { reason: "CreateContainerConfigError", message }
  }

  private pulled(record: PodRecord, tracked: ContainerLifecycle): void {
    const failure = this.configFailure(record, tracked)
    if (failure === undefined) this.startNow(record, tracked)
    else this.notPulled(record, tracked, failure)
  }

  private startNow(record: PodRecord, tracked: ContainerLifecycle): void {
    const { name } = tracked.container
    const isRestart = tracked.stage === "exited"
    tracked.stage = "starting"
    const { containers } = this.runtime
    if (containers === undefined) this.runtime.restart(record.pod, name, record)
    else containers.startContainer(record.pod, name, isRestart, record)
  }

  /** Returns the pod's containers, one of which could not be started. Without a back-off it is tried again in a while. */
  notStarted(tracked: ContainerLifecycle, containers: Containers, { message, reason }: StartFailure): Containers {
    const hasBackOff = reason === "ErrImagePull" || reason === "ImagePullBackOff"
    tracked.stage = "unpulled"
    tracked.retryAtMs = hasBackOff ? 0 : this.env.timers.now() + retryDelayMs(this.env)
    return containerWaits(containers, tracked.container.name, reason, message)
  }
}
