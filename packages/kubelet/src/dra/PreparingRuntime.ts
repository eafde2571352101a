import type { Pod } from "@rollcall/api"
import { ForwardingRuntime } from "../runtime/ForwardingRuntime.ts"
import type { AllocatedResource, PodObserver, PodRuntime } from "../runtime/PodRuntime.ts"
import { ClaimManager, type ClaimManagerParts } from "./ClaimManager.ts"
import { usesClaims } from "./claimChecks.ts"
import type { ContainerClaimDevices } from "./claimedDevices.ts"

/**
 * A runtime in which the claims of a pod are prepared before its sandbox is made, and unprepared after its containers have
 * stopped. A pod whose claims cannot be prepared is never started. Pods without claims go to the inner runtime as they are.
 * Upstream: SyncPod of pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncTerminatingPod of pkg/kubelet/kubelet.go.
 */
export class PreparingRuntime extends ForwardingRuntime {
  private readonly partsOf: () => ClaimManagerParts
  /** Created for the first pod with claims. */
  private created: ClaimManager | undefined = undefined
  /** The observers that the inner runtime has for pods with claims, by the pods' UIDs. */
  private observers: Map<string, PodObserver> | undefined = undefined

  /** `reportsHealth` says whether drivers of the node may tell how devices are, before there is a pod with claims. */
  constructor(inner: PodRuntime, partsOf: () => ClaimManagerParts, reportsHealth: boolean) {
    super(inner)
    this.partsOf = partsOf
    if (reportsHealth) this.created = new ClaimManager(partsOf())
  }

  private get claims(): ClaimManager {
    this.created ??= new ClaimManager(this.partsOf())
    return this.created
  }

  /** The observer that first unprepares, then says that the pod has stopped. */
  protected override observerOf(pod: Pod, observer: PodObserver): PodObserver {
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
      containerExited: (...exit) => observer.containerExited(...exit),
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

  override start(pod: Pod, observer: PodObserver): void {
    this.whenPrepared(pod, observer, (own) => this.inner.start(pod, own))
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenPrepared(pod, observer, (own) => this.inner.containers?.startSandbox(pod, own))
  }

  /** Stops a pod. Of one whose claims are not prepared nothing runs. */
  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const own = this.observerOf(pod, observer)
    const isWaiting = usesClaims(pod) && this.claims.cancel(pod, () => own.stopped(0))
    if (!isWaiting) this.inner.stop(pod, graceSeconds, own)
  }

  override removeSandbox(pod: Pod): void {
    this.inner.removeSandbox?.(pod)
    if (usesClaims(pod)) this.release(pod, () => undefined)
  }

  override deviceHealth(pod: Pod, container: string): ReadonlyArray<AllocatedResource> {
    const ofClaims = usesClaims(pod) ? (this.created?.deviceHealth(pod, container) ?? []) : []
    const others = super.deviceHealth(pod, container)
    return ofClaims.length === 0 ? others : [...others, ...ofClaims]
  }

  /** Returns the claims of a container with all their devices. */
  claimsOf(pod: Pod, container: string): ReadonlyArray<ContainerClaimDevices> {
    return usesClaims(pod) ? (this.created?.claimsOf(pod, container) ?? []) : []
  }

  override powerOff(): void {
    this.created?.clear()
    this.observers = undefined
    this.inner.powerOff()
  }
}
