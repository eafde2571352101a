import type { Pod } from "@rollcall/api"
import type { ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import { isAddress, NETWORK_NOT_READY, PodNetwork } from "./PodNetwork.ts"
import type { PodObserver } from "./PodRuntime.ts"

/** Starts the sandboxes of a node's pods with its network, and gives them addresses. */
export class SandboxNetwork {
  private readonly network: PodNetwork
  private readonly startMs: number
  private readonly plan: (observer: PodObserver, delayMs: number, run: () => void) => void
  /** The functions that start the pods which wait for the network or for an address, in order. */
  private readonly waiting = new Map<PodObserver, () => void>()

  /** `plan` runs a function for a pod after a delay. */
  constructor(
    { podCIDR = "10.244.0.0/24", startMs = 1_000 }: ModelledPodRuntimeOptions,
    plan: (observer: PodObserver, delayMs: number, run: () => void) => void
  ) {
    this.network = new PodNetwork(podCIDR === "await" ? undefined : podCIDR)
    this.startMs = startMs
    this.plan = plan
  }

  /** Why the network is not ready; undefined if it is. */
  get problem(): string | undefined {
    return this.network.isReady ? undefined : NETWORK_NOT_READY
  }

  /** Starts the sandbox once there is a network, and gives it an address. A pod in the host's network needs neither. */
  start(pod: Pod, observer: PodObserver, done: (podIP: string) => void): void {
    const ownNetwork = pod.spec.hostNetwork !== true
    if (ownNetwork && !this.network.isReady) {
      const message = `network is not ready: ${NETWORK_NOT_READY}`
      this.wait(observer, "NetworkNotReady", message, () => this.start(pod, observer, done))
      return
    }
    this.plan(observer, this.startMs, () => {
      if (ownNetwork) this.withAddress(pod, observer, done)
      else done("")
    })
  }

  /** Ends the wait of a pod. Returns false if it does not wait. */
  cancel(observer: PodObserver): boolean {
    return this.waiting.delete(observer)
  }

  /** Keeps the address of a pod that runs already. */
  reserve(uid: string, address: string): void {
    this.network.reserve(uid, address)
  }

  /** Whether a pod waits for the network or for an address. */
  isAwaitedBy(observer: PodObserver): boolean {
    return this.waiting.has(observer)
  }

  /** Releases the address of a pod, for the next one that waits. */
  release(uid: string): void {
    this.network.release(uid)
    const [[observer, begin] = []] = this.waiting
    if (observer === undefined || !this.network.isReady) return
    this.waiting.delete(observer)
    begin?.()
  }

  setRange(cidr: string): void {
    this.network.setRange(cidr)
    if (!this.network.isReady) return
    const waiting = [...this.waiting.values()]
    this.waiting.clear()
    for (const begin of waiting) begin()
  }

  clear(): void {
    this.waiting.clear()
    this.network.clear()
  }

  private withAddress(pod: Pod, observer: PodObserver, done: (podIP: string) => void): void {
    const address = this.network.allocate(pod.metadata.uid ?? "")
    if (isAddress(address)) {
      done(address)
      return
    }
    const problem = `failed to allocate for range 0: no IP addresses available in range set: ${this.network.rangeText}`
    const message = `Failed to create pod sandbox: rpc error: code = Unknown desc = ${problem}`
    this.wait(observer, "FailedCreatePodSandBox", message, () => this.withAddress(pod, observer, done))
  }

  /** Warns, and keeps the pod until its requirement is met. Upstream retries the pod instead. */
  private wait(observer: PodObserver, reason: string, message: string, begin: () => void): void {
    this.waiting.set(observer, begin)
    this.plan(observer, 0, () => observer.warned(reason, message))
  }
}
