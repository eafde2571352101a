import type { Pod } from "@rollcall/api"
import { type FilesOfClaim, ForwardingRuntime, type PodObserver, type PodRuntime } from "@rollcall/kubelet"

/** Delays the start of pods until the node has what they need. */
export interface StartGateShape {
  /** Calls `start` at once, or as soon as the node has what the pod needs. */
  readonly pass: (pod: Pod, node: string, start: () => void) => void
  /** Cancels the start of a waiting pod. Returns false if the pod does not wait. */
  readonly cancel: (pod: Pod) => boolean
  /** Cancels all waiting pods of a node. */
  readonly cancelAll: (node: string) => void
  /** Returns the files of a claim that pods start with. Absent if they are lost with each pod. */
  readonly filesOfClaim?: FilesOfClaim
}

/** A runtime whose pods pass a gate before they start. Everything else is delegated to the inner runtime. */
export class GatedRuntime extends ForwardingRuntime {
  private readonly node: string
  private readonly gate: StartGateShape

  constructor(node: string, inner: PodRuntime, gate: StartGateShape) {
    super(inner)
    this.node = node
    this.gate = gate
  }

  override start(pod: Pod, observer: PodObserver): void {
    this.gate.pass(pod, this.node, () => this.inner.start(pod, observer))
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.gate.pass(pod, this.node, () => this.inner.containers?.startSandbox(pod, observer))
  }

  /** Stops a pod. One that still waits is started first, so that the inner runtime knows it and reports its end. */
  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    if (this.gate.cancel(pod)) this.inner.start(pod, observer)
    this.inner.stop(pod, graceSeconds, observer)
  }

  override powerOff(): void {
    this.gate.cancelAll(this.node)
    this.inner.powerOff()
  }
}
