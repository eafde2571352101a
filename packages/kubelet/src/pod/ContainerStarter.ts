import * as Result from "effect/Result"
import { ImageManager } from "../images/ImageManager.ts"
import { mountedImages } from "../images/imageVolumes.ts"
import type { Env } from "../internal/Env.ts"
import { type Answers, variableProblemOf } from "../references/problems.ts"
import { variableReferences } from "../references/Reference.ts"
import { writtenIn } from "../runtime/command/writtenFiles.ts"
import type { PodRuntime, StartFailure } from "../runtime/PodRuntime.ts"
import type { ContainerType } from "../status/LifeCounts.ts"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import type { Containers } from "./Containers.ts"
import { configProblemOf } from "./configProblem.ts"
import { fileVariablesOf, hasFileVariables } from "./fileVariables.ts"
import { nonRootProblemOf } from "./nonRootProblem.ts"
import { recordContainerEvent, recordNotStarted } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { retryDelayMs } from "./PodRetries.ts"
import { countSyncFailure } from "./userNamespaces.ts"

/** The relist of the runtime shows the kubelet a new sandbox. Upstream: pkg/kubelet/pleg/generic.go. */
const SANDBOX_SEEN_AFTER_MS = 1_000
const CONFIG_ERROR = "CreateContainerConfigError"

type Settled = (failure: StartFailure | undefined) => void

const typeOf = ({ isInit }: ContainerLifecycle): ContainerType => (isInit ? "init_container" : "container")

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
    this.images.stop()
    this.images = new ImageManager(this.env, this.runtime)
  }

  /** Records that a runtime which pulls images by itself could not pull one. Returns why the container waits. */
  pullFailed(
    record: PodRecord,
    { pulls }: PodLifecycle,
    tracked: ContainerLifecycle,
    { message }: StartFailure
  ): StartFailure {
    return this.images.pullFailed(record, tracked, pulls, message)
  }

  /**
   * Returns undefined if an image is there, or why what needs it cannot be started now. After `pulling`, `settled` is called
   * later, unless the process has ended.
   */
  ensureImage(...asked: Parameters<ImageManager["ensure"]>): ReturnType<ImageManager["ensure"]> {
    return this.images.ensure(...asked)
  }

  /** Starts a container, after a pull if its image is not there. Returns the pod's containers. */
  start(record: PodRecord, lifecycle: PodLifecycle, tracked: ContainerLifecycle, containers: Containers): Containers {
    const settled = this.settledLater(record, lifecycle, tracked, (failure) =>
      this.pulled(record, lifecycle, tracked, failure)
    )
    this.env.lifeCounts.add("started_containers_total", [typeOf(tracked)])
    const asked = this.imageFailure(record, lifecycle, tracked, settled)
    const failure = asked ?? this.configFailure(record, lifecycle, tracked)
    if (failure === undefined) this.startNow(record, tracked)
    else if (failure === "pulling" || failure === "reading") tracked.isPulling = true
    else this.notStarted(record, tracked, failure)
    return containers
  }

  /** Returns why an image is not there: of the volumes that the container mounts, one after another, and then its own. */
  private imageFailure(
    record: PodRecord,
    lifecycle: PodLifecycle,
    tracked: ContainerLifecycle,
    settled: Settled
  ): StartFailure | "pulling" | undefined {
    for (const container of mountedImages(record.pod, tracked.container)) {
      if (lifecycle.volumeImages?.has(container.name) === true) continue
      const ended = (failure: StartFailure | undefined) => {
        const isWaiting = record.lifecycle === lifecycle && record.stage === "running" && tracked.isPulling
        const next =
          this.volumeFailure(record, lifecycle, tracked, container.name, failure) ??
          (isWaiting ? this.imageFailure(record, lifecycle, tracked, settled) : undefined)
        if (next !== "pulling") settled(next)
      }
      const failure = this.images.ensure(record, { container, isInit: "volumes" }, lifecycle.pulls, ended)
      if (failure === "pulling") return failure
      if (this.volumeFailure(record, lifecycle, tracked, container.name, failure) !== undefined) return failure
    }
    return this.images.ensure(record, tracked, lifecycle.pulls, settled)
  }

  /** Keeps that the image of a volume is there, or records for a container that it is not. Upstream: toKubeContainerImageVolumes. */
  private volumeFailure(
    { pod }: PodRecord,
    lifecycle: PodLifecycle,
    { container, isInit }: ContainerLifecycle,
    volume: string,
    failure: StartFailure | undefined
  ): StartFailure | undefined {
    if (failure === undefined) {
      lifecycle.volumeImages ??= new Set()
      lifecycle.volumeImages.add(volume)
    } else {
      recordNotStarted(this.env.recorder, pod, container, isInit, failure.reason)
    }
    return failure
  }

  private pulled(
    record: PodRecord,
    lifecycle: PodLifecycle,
    tracked: ContainerLifecycle,
    failed: StartFailure | undefined
  ): void {
    const failure = failed ?? (record.stage === "running" ? this.configFailure(record, lifecycle, tracked) : undefined)
    if (failure === "reading") tracked.isPulling = true
    else if (failure !== undefined) this.notPulled(record, tracked, failure)
    else if (record.stage === "running") this.startNow(record, tracked)
  }

  /** Returns what handles the end of a wait, unless the pod or the process no longer waits for it. */
  private settledLater(
    record: PodRecord,
    lifecycle: PodLifecycle,
    tracked: ContainerLifecycle,
    settled: Settled
  ): Settled {
    const { images } = this
    return (failure) => {
      if (images !== this.images || record.lifecycle !== lifecycle || !tracked.isPulling) return
      tracked.isPulling = false
      settled(failure)
    }
  }

  /**
   * Returns why no container can be made of the spec, and records it; or that what its variables refer to is being read. Upstream:
   * kuberuntime_container.go, startContainer.
   */
  private configFailure(
    record: PodRecord,
    lifecycle: PodLifecycle,
    tracked: ContainerLifecycle
  ): StartFailure | "reading" | undefined {
    let known: { readonly message: string | undefined } | undefined
    let isLater = false
    const settled = this.settledLater(record, lifecycle, tracked, (failure) => {
      if (failure !== undefined) this.notPulled(record, tracked, this.recorded(record, tracked, failure))
      else if (record.stage === "running") this.startNow(record, tracked)
    })
    this.readConfig(record, tracked, (message) => {
      if (isLater) settled(message === undefined ? undefined : { reason: CONFIG_ERROR, message })
      else known = { message }
    })
    isLater = true
    if (known === undefined) return "reading"
    const { message } = known
    return message === undefined ? undefined : this.recorded(record, tracked, { reason: CONFIG_ERROR, message })
  }

  private recorded({ pod }: PodRecord, { container, isInit }: ContainerLifecycle, failure: StartFailure): StartFailure {
    const text = `Error: ${failure.message}`
    recordContainerEvent(this.env.recorder, pod, container, isInit, "Warning", "Failed", text)
    return failure
  }

  /** Passes why no container can be made of the spec, or undefined: at once, or when its references have been read. */
  private readConfig(
    record: PodRecord,
    tracked: ContainerLifecycle,
    done: (problem: string | undefined) => void
  ): void {
    const { pod } = record
    const { container, stage } = tracked
    const ownProblem = () =>
      this.readFiles(record, tracked) ?? configProblemOf(pod, container) ?? nonRootProblemOf(pod, container)
    const variables = variableReferences(container)
    if (variables.length === 0) {
      done(ownProblem())
      return
    }
    const { namespace = "" } = pod.metadata
    this.env.references.read(namespace, variables, (answers) => {
      // What a container has started with before is known, also while the API does not answer.
      const known: Answers = (reference) => {
        const answer = answers(reference)
        return answer === "unsynced" && stage === "exited" ? "unreadable" : answer
      }
      done(variableProblemOf(namespace, variables, known) ?? ownProblem())
    })
  }

  /** Reads the variables whose values are in files of the pod. Returns why one has none. */
  private readFiles({ pod, statuses }: PodRecord, tracked: ContainerLifecycle): string | undefined {
    if (!this.env.config.featureGates.EnvFiles || !hasFileVariables(tracked.container)) return undefined
    const found = fileVariablesOf(pod, tracked.container, statuses, writtenIn(this.env, pod, undefined))
    if (Result.isFailure(found)) return found.failure
    tracked.fileVariables = found.success
    return undefined
  }

  private startNow(record: PodRecord, tracked: ContainerLifecycle): void {
    const { name } = tracked.container
    const isRestart = tracked.stage === "exited"
    tracked.stage = "starting"
    const { containers } = this.runtime
    if (containers === undefined) this.runtime.restart(record.pod, name, record)
    else containers.startContainer(record.pod, name, isRestart, record)
  }

  /**
   * Handles that a container could not be started. It is tried again in a while; after the start of its sandbox soon,
   * because the kubelet then syncs the pod again.
   */
  notStarted(record: PodRecord, tracked: ContainerLifecycle, failure: StartFailure): void {
    countSyncFailure(this.env, record)
    this.env.lifeCounts.add("started_containers_errors_total", [typeOf(tracked), failure.reason])
    const delayMs = tracked.stage === "new" ? SANDBOX_SEEN_AFTER_MS : retryDelayMs(this.env)
    tracked.stage = "unpulled"
    tracked.retryAtMs = this.env.timers.now() + delayMs
    tracked.reason = failure
  }
}
