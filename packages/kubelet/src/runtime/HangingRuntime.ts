import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ContainerRuntime, HookEnd, ImageService, PodObserver, PodRuntime } from "./PodRuntime.ts"
import type { ProbeOutcomes } from "./ProbeOutcomes.ts"

/** Is told when the runtime responds again. */
interface RuntimeOwner {
  /** The runtime has carried out the requests of its outage. */
  readonly runtimeAnswered: () => void
  /** An image was pulled. */
  readonly imagesChanged: () => void
}

/**
 * A runtime that may stop responding. Nothing is started or stopped then: the requests are carried out, in order, when
 * it responds again. Upstream: pkg/kubelet/kubelet.go syncLoop, which skips pods as long as the runtime has errors.
 */
export class HangingRuntime implements PodRuntime, ContainerRuntime, ImageService {
  private readonly timers: TimersShape
  private readonly inner: PodRuntime
  /** The requests that wait until the runtime responds; undefined while it does. */
  private queued: Array<() => void> | undefined = undefined
  private recoveryTimer: Timer | undefined
  private podCIDR = ""
  private readonly owner: RuntimeOwner
  readonly containers?: ContainerRuntime
  readonly images?: ImageService

  constructor(timers: TimersShape, inner: PodRuntime, owner: RuntimeOwner) {
    this.timers = timers
    this.inner = inner
    this.owner = owner
    if (inner.containers !== undefined) this.containers = this
    if (inner.containers?.images !== undefined) this.images = this
  }

  get isHanging(): boolean {
    return this.queued !== undefined
  }

  /** Stops to respond, until `answerAfter` ends that. */
  hang(): void {
    this.queued ??= []
    if (this.recoveryTimer !== undefined) this.timers.cancel(this.recoveryTimer)
    this.recoveryTimer = undefined
  }

  /** Responds again after the delay, unless it stops to respond again before. */
  answerAfter(delayMs: number): void {
    this.recoveryTimer ??= this.timers.after(delayMs, () => {
      const { queued = [] } = this
      this.recoveryTimer = undefined
      this.queued = undefined
      for (const request of queued) request()
      this.owner.runtimeAnswered()
    })
  }

  start(pod: Pod, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.start(pod, observer))
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.restart(pod, container, observer))
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.stop(pod, graceSeconds, observer))
  }

  /**
   * Sets the podCIDR of the Node each time that the Node is seen. Upstream calls pkg/kubelet/kubelet_network.go
   * updatePodCIDR only while it computes a status; but network plugins that use the Node's range watch the Node
   * themselves, so that they know the range for pods that exist when the kubelet starts.
   */
  setPodCIDR(cidrs: string): void {
    if (cidrs === "" || cidrs === this.podCIDR) return
    this.podCIDR = cidrs
    this.whenResponsive(() => this.inner.setPodCIDR(cidrs))
  }

  networkProblem(): string | undefined {
    return this.inner.networkProblem?.()
  }

  removeSandbox(pod: Pod): void {
    this.whenResponsive(() => this.inner.removeSandbox?.(pod))
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    return this.inner.runs(pod, observer)
  }

  powerOff(): void {
    if (this.queued !== undefined) this.queued = []
    this.inner.powerOff()
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.startSandbox(pod, observer))
  }

  startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.startContainer(pod, container, isRestart, observer))
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.stopContainer(pod, container, graceSeconds, observer))
  }

  exitContainer(pod: Pod, container: string, exitCode: number, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.exitContainer?.(pod, container, exitCode, observer))
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver): ProbeOutcomes | undefined {
    return this.inner.containers?.probeOutcomes(pod, container, observer)
  }

  postStartEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    return this.inner.containers?.postStartEnd?.(pod, container, observer)
  }

  hasImage(pod: Pod, container: string, observer: PodObserver): boolean | undefined {
    return this.inner.containers?.images?.hasImage(pod, container, observer)
  }

  mustPull(pod: Pod): boolean {
    return this.inner.containers?.images?.mustPull(pod) === true
  }

  pullImage(...[pod, container, observer, done]: Parameters<ImageService["pullImage"]>): void {
    const pulled: typeof done = (result) => {
      if (Result.isSuccess(result)) this.owner.imagesChanged()
      done(result)
    }
    this.whenResponsive(() => this.inner.containers?.images?.pullImage(pod, container, observer, pulled))
  }

  whenResponsive(request: () => void): void {
    if (this.queued === undefined) request()
    else this.queued.push(request)
  }
}
