import type { Pod } from "@rollcall/api"
import type { ContainerRuntime, PodObserver, PodRuntime } from "../runtime/PodRuntime.ts"
import type { ProbeOutcomes } from "../runtime/ProbeOutcomes.ts"
import { ClaimManager, type ClaimManagerParts } from "./ClaimManager.ts"
import { usesClaims } from "./claimChecks.ts"

/**
 * A runtime in which the claims of a pod are prepared before its sandbox is made, and unprepared after its containers have
 * stopped. A pod whose claims cannot be prepared is never started. Pods without claims go to the inner runtime as they are.
 * Upstream: SyncPod of pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncTerminatingPod of pkg/kubelet/kubelet.go.
 */
export class PreparingRuntime implements PodRuntime, ContainerRuntime {
  readonly containers?: ContainerRuntime
  private readonly inner: PodRuntime
  private readonly partsOf: () => ClaimManagerParts
  /** Created for the first pod with claims. */
  private created: ClaimManager | undefined = undefined
  /** The observers that the inner runtime has for pods with claims, by the pods' UIDs. */
  private observers: Map<string, PodObserver> | undefined = undefined

  constructor(inner: PodRuntime, partsOf: () => ClaimManagerParts) {
    this.inner = inner
    this.partsOf = partsOf
    if (inner.containers !== undefined) this.containers = this
  }

  private get claims(): ClaimManager {
    this.created ??= new ClaimManager(this.partsOf())
    return this.created
  }

  /** The observer that first unprepares, then says that the pod has stopped. */
  private observerOf(pod: Pod, observer: PodObserver): PodObserver {
    if (!usesClaims(pod)) return observer
    this.observers ??= new Map()
    const { uid = "" } = pod.metadata
    const known = this.observers.get(uid)
    if (known !== undefined) return known
    const own: PodObserver = {
      started: (podIP) => observer.started(podIP),
      sandboxReady: (podIP) => observer.sandboxReady(podIP),
      containerStarted: (name) => observer.containerStarted(name),
      containerFailed: (name, failure) => observer.containerFailed(name, failure),
      containerExited: (name, exitCode) => observer.containerExited(name, exitCode),
      stopped: (exitCode) => this.release(pod, () => observer.stopped(exitCode)),
      warned: (reason, message) => observer.warned(reason, message)
    }
    this.observers.set(uid, own)
    return own
  }

  private release(pod: Pod, then: () => void): void {
    this.observers?.delete(pod.metadata.uid ?? "")
    this.claims.unprepare(pod, then)
  }

  private whenPrepared(pod: Pod, observer: PodObserver, start: (observer: PodObserver) => void): void {
    const own = this.observerOf(pod, observer)
    if (usesClaims(pod)) this.claims.prepare(pod, own.warned, () => start(own))
    else start(own)
  }

  start(pod: Pod, observer: PodObserver): void {
    this.whenPrepared(pod, observer, (own) => this.inner.start(pod, own))
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenPrepared(pod, observer, (own) => this.inner.containers?.startSandbox(pod, own))
  }

  /** Stops a pod. Of one whose claims are not prepared nothing runs. */
  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const own = this.observerOf(pod, observer)
    const isWaiting = usesClaims(pod) && this.claims.cancel(pod, () => own.stopped(0))
    if (!isWaiting) this.inner.stop(pod, graceSeconds, own)
  }

  removeSandbox(pod: Pod): void {
    this.inner.removeSandbox?.(pod)
    if (usesClaims(pod)) this.release(pod, () => undefined)
  }

  powerOff(): void {
    this.created?.clear()
    this.observers = undefined
    this.inner.powerOff()
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    return this.inner.runs(pod, this.observerOf(pod, observer))
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.inner.restart(pod, container, this.observerOf(pod, observer))
  }

  setPodCIDR(cidrs: string): void {
    this.inner.setPodCIDR(cidrs)
  }

  networkProblem(): string | undefined {
    return this.inner.networkProblem?.()
  }

  startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    this.inner.containers?.startContainer(pod, container, isRestart, this.observerOf(pod, observer))
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.inner.containers?.stopContainer(pod, container, graceSeconds, this.observerOf(pod, observer))
  }

  exitContainer(pod: Pod, container: string, exitCode: number, observer: PodObserver): void {
    this.inner.containers?.exitContainer?.(pod, container, exitCode, this.observerOf(pod, observer))
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver): ProbeOutcomes | undefined {
    return this.inner.containers?.probeOutcomes(pod, container, this.observerOf(pod, observer))
  }
}
