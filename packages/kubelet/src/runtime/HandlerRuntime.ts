import type { Pod, RuntimeClass } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { retryDelayMs } from "../pod/PodRetries.ts"
import { countSandbox, countSandboxFailure } from "../pod/userNamespaces.ts"
import { ForwardingRuntime } from "./ForwardingRuntime.ts"
import type { PodObserver, PodRuntime } from "./PodRuntime.ts"

const reference = (name: string) => ({ kind: "RuntimeClass", name, isOptional: false, keys: [] }) as const

/**
 * A runtime in which the sandbox of a pod with a RuntimeClass is made by the handler of that class. A pod whose class does not exist,
 * or whose handler the runtime lacks, is tried again and again. Upstream: createPodSandbox of pkg/kubelet/kuberuntime/kuberuntime_sandbox.go.
 */
export class HandlerRuntime extends ForwardingRuntime {
  private readonly env: Env
  /** Whether the kubelet's process runs and its runtime responds. */
  private readonly isRunning: () => boolean
  /** The pods that wait for their handler, and when they are tried again; undefined before the first. */
  private waiting: Map<PodObserver, Timer | undefined> | undefined = undefined

  constructor(inner: PodRuntime, env: Env, isRunning: () => boolean) {
    super(inner)
    this.env = env
    this.isRunning = isRunning
  }

  override start(pod: Pod, observer: PodObserver): void {
    this.whenHandled(pod, observer, () => this.inner.start(pod, observer))
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenHandled(pod, observer, () => this.inner.containers?.startSandbox(pod, observer))
  }

  /** Stops a pod. Of one that waits for its handler nothing runs. */
  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    if (this.waiting?.has(observer) !== true) {
      this.inner.stop(pod, graceSeconds, observer)
      return
    }
    this.forget(observer)
    this.env.timers.after(0, () => observer.stopped(0))
  }

  override powerOff(): void {
    for (const observer of [...(this.waiting?.keys() ?? [])]) this.forget(observer)
    this.inner.powerOff()
  }

  private whenHandled(pod: Pod, observer: PodObserver, start: () => void): void {
    const { runtimeClassName = "" } = pod.spec
    if (runtimeClassName === "") start()
    else this.lookUp(pod, observer, start)
  }

  private lookUp(pod: Pod, observer: PodObserver, start: () => void): void {
    const { runtimeClassName: name = "" } = pod.spec
    this.waiting ??= new Map()
    this.waiting.set(observer, undefined)
    if (!this.isRunning()) {
      this.later(pod, observer, start)
      return
    }
    const wanted = reference(name)
    this.env.references.read("", [wanted], (answers) => {
      if (this.waiting?.has(observer) !== true) return
      const answer = answers(wanted)
      if (answer === "unreadable") this.begin(observer, start)
      else if (answer === "unsynced") this.later(pod, observer, start)
      else if (answer === "missing")
        this.fail(pod, observer, start, `runtimeclass.node.k8s.io ${JSON.stringify(name)} not found`)
      else {
        const problem = this.inner.handlerProblem?.((answer as RuntimeClass).handler)
        if (problem === undefined) this.begin(observer, start)
        else this.fail(pod, observer, start, problem)
      }
    })
  }

  private begin(observer: PodObserver, start: () => void): void {
    this.forget(observer)
    start()
  }

  private fail(pod: Pod, observer: PodObserver, start: () => void, problem: string): void {
    countSandboxFailure(this.env, pod)
    observer.warned("FailedCreatePodSandBox", `Failed to create pod sandbox: ${problem}`)
    this.later(pod, observer, start)
  }

  /** Tries again after the back-off of a sync that has failed. */
  private later(pod: Pod, observer: PodObserver, start: () => void): void {
    const timer = this.env.timers.after(retryDelayMs(this.env), () => {
      if (this.isRunning()) countSandbox(this.env, pod)
      this.lookUp(pod, observer, start)
    })
    this.waiting?.set(observer, timer)
  }

  private forget(observer: PodObserver): void {
    const timer = this.waiting?.get(observer)
    if (timer !== undefined) this.env.timers.cancel(timer)
    this.waiting?.delete(observer)
  }
}
