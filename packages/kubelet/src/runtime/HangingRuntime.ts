import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { ForwardingRuntime } from "./ForwardingRuntime.ts"
import type { ImageService, PodObserver, PodRuntime } from "./PodRuntime.ts"

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
export class HangingRuntime extends ForwardingRuntime {
  private readonly timers: TimersShape
  /** The requests that wait until the runtime responds; undefined while it does. */
  private queued: Array<() => void> | undefined = undefined
  private recoveryTimer: Timer | undefined
  private podCIDR = ""
  private readonly owner: RuntimeOwner

  constructor(timers: TimersShape, inner: PodRuntime, owner: RuntimeOwner) {
    super(inner)
    this.timers = timers
    this.owner = owner
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

  override start(pod: Pod, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.start(pod, observer))
  }

  override restart(pod: Pod, container: string, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.restart(pod, container, observer))
  }

  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.stop(pod, graceSeconds, observer))
  }

  /**
   * Sets the podCIDR of the Node each time that the Node is seen. Upstream calls pkg/kubelet/kubelet_network.go
   * updatePodCIDR only while it computes a status; but network plugins that use the Node's range watch the Node
   * themselves, so that they know the range for pods that exist when the kubelet starts.
   */
  override setPodCIDR(cidrs: string): void {
    if (cidrs === "" || cidrs === this.podCIDR) return
    this.podCIDR = cidrs
    this.whenResponsive(() => this.inner.setPodCIDR(cidrs))
  }

  override removeSandbox(pod: Pod): void {
    this.whenResponsive(() => this.inner.removeSandbox?.(pod))
  }

  override powerOff(): void {
    if (this.queued !== undefined) this.queued = []
    this.inner.powerOff()
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.startSandbox(pod, observer))
  }

  override startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.startContainer(pod, container, isRestart, observer))
  }

  override stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.whenResponsive(() => this.inner.containers?.stopContainer(pod, container, graceSeconds, observer))
  }

  override exitContainer(pod: Pod, container: string, exitCode: number, observer: PodObserver, message?: string): void {
    this.whenResponsive(() => this.inner.containers?.exitContainer?.(pod, container, exitCode, observer, message))
  }

  override pullImage(...[pod, container, observer, done, credentials]: Parameters<ImageService["pullImage"]>): void {
    const pulled: typeof done = (result) => {
      if (Result.isSuccess(result)) this.owner.imagesChanged()
      done(result)
    }
    this.whenResponsive(() => this.inner.containers?.images?.pullImage(pod, container, observer, pulled, credentials))
  }

  whenResponsive(request: () => void): void {
    if (this.queued === undefined) request()
    else this.queued.push(request)
  }
}
