import type { Pod } from "@rollcall/api"
import { type AllocatedResource, ForwardingRuntime, type PodObserver, type PodRuntime } from "@rollcall/kubelet"
import type { Timer, TimersShape } from "@rollcall/time"

/** How long until a failed call is repeated. */
const RETRY_MS = 10_000

export interface PluginCalls {
  /** Whether a pod has devices of plugins. */
  readonly hasDevices: (pod: Pod) => boolean
  /** Returns how the devices of a container are. */
  readonly deviceHealth: (pod: Pod, container: string) => ReadonlyArray<AllocatedResource>
  /** Tells the plugins; calls `done` later, with the error if there is one. Returns a function that cancels it. */
  readonly allocate: (pod: Pod, done: (problem?: string) => void) => () => void
}

/** A runtime in which the plugins of a pod's devices are told before its containers start. */
export class PluginRuntime extends ForwardingRuntime {
  private readonly timers: TimersShape
  private readonly calls: PluginCalls
  /** How to give up what a pod waits for, by its UID. */
  private readonly waiting = new Map<string, () => void>()

  constructor(timers: TimersShape, inner: PodRuntime, calls: PluginCalls) {
    super(inner)
    this.timers = timers
    this.calls = calls
  }

  override start(pod: Pod, observer: PodObserver): void {
    this.whenAllocated(pod, observer, () => this.inner.start(pod, observer))
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenAllocated(pod, observer, () => this.inner.containers?.startSandbox(pod, observer))
  }

  /** Stops a pod. Of one that waits for a plugin nothing runs. */
  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const { uid = "" } = pod.metadata
    const cancel = this.waiting.get(uid)
    if (cancel === undefined) {
      this.inner.stop(pod, graceSeconds, observer)
      return
    }
    cancel()
    this.waiting.delete(uid)
    this.timers.after(0, () => observer.stopped(0))
  }

  override deviceHealth(pod: Pod, container: string): ReadonlyArray<AllocatedResource> {
    return [...super.deviceHealth(pod, container), ...this.calls.deviceHealth(pod, container)]
  }

  override powerOff(): void {
    for (const cancel of this.waiting.values()) cancel()
    this.waiting.clear()
    this.inner.powerOff()
  }

  private whenAllocated(pod: Pod, observer: PodObserver, start: () => void): void {
    if (!this.calls.hasDevices(pod)) {
      start()
      return
    }
    const { uid = "" } = pod.metadata
    const attempt = (): void => {
      const cancel = this.calls.allocate(pod, (problem) => {
        if (this.waiting.get(uid) !== cancel) return
        if (problem === undefined) {
          this.waiting.delete(uid)
          start()
          return
        }
        observer.warned("UnexpectedAdmissionError", `Allocate failed due to ${problem}, which is unexpected`)
        const timer: Timer = this.timers.after(RETRY_MS, attempt)
        this.waiting.set(uid, () => this.timers.cancel(timer))
      })
      this.waiting.set(uid, cancel)
    }
    attempt()
  }
}
