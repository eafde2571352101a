import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import type { ContainerRuntime, PodObserver, PodRuntime } from "./PodRuntime.ts"
import type { ProbeOutcomes } from "./ProbeOutcomes.ts"

interface RuntimeOwner {
  /** The runtime has caught up with the requests from its outage. */
  readonly runtimeAnswered: () => void
}

/**
 * A runtime that may stop responding. Then nothing is started or stopped: requests are carried out, in order, when it
 * responds again. Upstream: pkg/kubelet/kubelet.go syncLoop, which skips pods as long as the runtime has errors.
 */
export class HangingRuntime implements PodRuntime, ContainerRuntime {
  private readonly timers: TimersShape
  private readonly inner: PodRuntime
  /** The queued requests; undefined: it responds. */
  private asked: Array<() => void> | undefined = undefined
  private back: Timer | undefined
  private podCIDR = ""
  private readonly owner: RuntimeOwner
  readonly containers?: ContainerRuntime

  constructor(timers: TimersShape, inner: PodRuntime, owner: RuntimeOwner) {
    this.timers = timers
    this.inner = inner
    this.owner = owner
    if (inner.containers !== undefined) this.containers = this
  }

  get isHanging(): boolean {
    return this.asked !== undefined
  }

  hang(): void {
    this.asked ??= []
    if (this.back !== undefined) this.timers.cancel(this.back)
    this.back = undefined
  }

  answerAfter(delayMs: number): void {
    this.back ??= this.timers.after(delayMs, () => {
      const { asked = [] } = this
      this.back = undefined
      this.asked = undefined
      for (const ask of asked) ask()
      this.owner.runtimeAnswered()
    })
  }

  start(pod: Pod, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.start(pod, observer))
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.restart(pod, container, observer))
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.stop(pod, graceSeconds, observer))
  }

  /**
   * Sets the podCIDR of the Node, each time that it is seen. Upstream pkg/kubelet/kubelet_network.go updatePodCIDR is
   * called while a status is computed; network plugins that use the Node's range watch it themselves, so that they
   * know it for pods that exist when the kubelet starts.
   */
  setPodCIDR(cidrs: string): void {
    if (cidrs === "" || cidrs === this.podCIDR) return
    this.podCIDR = cidrs
    this.whenItAnswers(() => this.inner.setPodCIDR(cidrs))
  }

  networkProblem(): string | undefined {
    return this.inner.networkProblem?.()
  }

  removeSandbox(pod: Pod): void {
    this.whenItAnswers(() => this.inner.removeSandbox?.(pod))
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    return this.inner.runs(pod, observer)
  }

  powerOff(): void {
    if (this.asked !== undefined) this.asked = []
    this.inner.powerOff()
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.containers?.startSandbox(pod, observer))
  }

  startContainer(pod: Pod, container: string, again: boolean, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.containers?.startContainer(pod, container, again, observer))
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.whenItAnswers(() => this.inner.containers?.stopContainer(pod, container, graceSeconds, observer))
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver): ProbeOutcomes | undefined {
    return this.inner.containers?.probeOutcomes(pod, container, observer)
  }

  private whenItAnswers(ask: () => void): void {
    if (this.asked === undefined) ask()
    else this.asked.push(ask)
  }
}
