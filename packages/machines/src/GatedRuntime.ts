import type { Pod } from "@rollcall/api"
import type { ContainerRuntime, HookEnd, ImageService, PodObserver, PodRuntime, ProbeOutcomes } from "@rollcall/kubelet"

/** Delays the start of pods until the node has what they need. */
export interface StartGateShape {
  /** Calls `start` at once, or as soon as the node has what the pod needs. */
  readonly pass: (pod: Pod, node: string, start: () => void) => void
  /** Cancels the start of a waiting pod. Returns false if the pod does not wait. */
  readonly cancel: (pod: Pod) => boolean
  /** Cancels all waiting pods of a node. */
  readonly cancelAll: (node: string) => void
}

/** A runtime whose pods pass a gate before they start. Everything else is delegated to the inner runtime. */
export class GatedRuntime implements PodRuntime, ContainerRuntime {
  private readonly node: string
  private readonly inner: PodRuntime
  private readonly gate: StartGateShape
  readonly containers?: ContainerRuntime
  readonly images?: ImageService

  constructor(node: string, inner: PodRuntime, gate: StartGateShape) {
    this.node = node
    this.inner = inner
    this.gate = gate
    if (inner.containers !== undefined) this.containers = this
    if (inner.containers?.images !== undefined) this.images = inner.containers.images
  }

  start(pod: Pod, observer: PodObserver): void {
    this.gate.pass(pod, this.node, () => this.inner.start(pod, observer))
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.gate.pass(pod, this.node, () => this.inner.containers?.startSandbox(pod, observer))
  }

  /** Stops a pod. One that still waits is started first, so that the inner runtime knows it and reports its end. */
  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    if (this.gate.cancel(pod)) this.inner.start(pod, observer)
    this.inner.stop(pod, graceSeconds, observer)
  }

  powerOff(): void {
    this.gate.cancelAll(this.node)
    this.inner.powerOff()
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.inner.restart(pod, container, observer)
  }

  setPodCIDR(cidrs: string): void {
    this.inner.setPodCIDR(cidrs)
  }

  networkProblem(): string | undefined {
    return this.inner.networkProblem?.()
  }

  removeSandbox(pod: Pod): void {
    this.inner.removeSandbox?.(pod)
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    return this.inner.runs(pod, observer)
  }

  startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    this.inner.containers?.startContainer(pod, container, isRestart, observer)
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.inner.containers?.stopContainer(pod, container, graceSeconds, observer)
  }

  exitContainer(pod: Pod, container: string, exitCode: number, observer: PodObserver): void {
    this.inner.containers?.exitContainer?.(pod, container, exitCode, observer)
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver): ProbeOutcomes | undefined {
    return this.inner.containers?.probeOutcomes(pod, container, observer)
  }

  postStartEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    return this.inner.containers?.postStartEnd?.(pod, container, observer)
  }
}
