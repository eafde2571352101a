import type { Pod } from "@rollcall/api"
import type { DockerConfig } from "../credentials/dockerConfig.ts"
import type {
  AllocatedResource,
  ContainerCommands,
  ContainerRuntime,
  HookEnd,
  ImageService,
  PodObserver,
  PodRuntime,
  StoredImage
} from "./PodRuntime.ts"
import type { ProbeOutcomes, SeenProbes } from "./ProbeOutcomes.ts"

/** A runtime that hands every call on to another one. Runtimes that change some of the calls extend it. */
export class ForwardingRuntime implements PodRuntime, ContainerRuntime, ImageService {
  protected readonly inner: PodRuntime
  readonly containers?: ContainerRuntime
  readonly images?: ImageService

  constructor(inner: PodRuntime) {
    this.inner = inner
    if (inner.containers !== undefined) this.containers = this
    if (inner.containers?.images !== undefined) this.images = this
  }

  /** Returns the observer that the inner runtime has for a pod. */
  protected observerOf(_pod: Pod, observer: PodObserver): PodObserver {
    return observer
  }

  start(pod: Pod, observer: PodObserver): void {
    this.inner.start(pod, this.observerOf(pod, observer))
  }

  restart(pod: Pod, container: string, observer: PodObserver): void {
    this.inner.restart(pod, container, this.observerOf(pod, observer))
  }

  isStarting(pod: Pod, observer: PodObserver): boolean {
    return this.inner.isStarting?.(pod, this.observerOf(pod, observer)) === true
  }

  stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    this.inner.stop(pod, graceSeconds, this.observerOf(pod, observer))
  }

  setPodCIDR(cidrs: string): void {
    this.inner.setPodCIDR(cidrs)
  }

  networkProblem(): string | undefined {
    return this.inner.networkProblem?.()
  }

  handlerProblem(handler: string): string | undefined {
    return this.inner.handlerProblem?.(handler)
  }

  removeSandbox(pod: Pod): void {
    this.inner.removeSandbox?.(pod)
  }

  runs(pod: Pod, observer: PodObserver): boolean {
    return this.inner.runs(pod, this.observerOf(pod, observer))
  }

  powerOff(): void {
    this.inner.powerOff()
  }

  deviceHealth(pod: Pod, container: string): ReadonlyArray<AllocatedResource> {
    return this.inner.deviceHealth?.(pod, container) ?? []
  }

  startSandbox(pod: Pod, observer: PodObserver): void {
    this.inner.containers?.startSandbox(pod, this.observerOf(pod, observer))
  }

  startContainer(pod: Pod, container: string, isRestart: boolean, observer: PodObserver): void {
    this.inner.containers?.startContainer(pod, container, isRestart, this.observerOf(pod, observer))
  }

  stopContainer(pod: Pod, container: string, graceSeconds: number, observer: PodObserver): void {
    this.inner.containers?.stopContainer(pod, container, graceSeconds, this.observerOf(pod, observer))
  }

  exitContainer(pod: Pod, container: string, exitCode: number, observer: PodObserver, message?: string): void {
    this.inner.containers?.exitContainer?.(pod, container, exitCode, this.observerOf(pod, observer), message)
  }

  podChanged(pod: Pod, observer: PodObserver): void {
    this.inner.containers?.podChanged?.(pod, this.observerOf(pod, observer))
  }

  followWith(commands: ContainerCommands): void {
    this.inner.containers?.followWith?.(commands)
  }

  probeOutcomes(pod: Pod, container: string, observer: PodObserver, seen?: SeenProbes): ProbeOutcomes | undefined {
    return this.inner.containers?.probeOutcomes(pod, container, this.observerOf(pod, observer), seen)
  }

  postStartEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    return this.inner.containers?.postStartEnd?.(pod, container, this.observerOf(pod, observer))
  }

  preStopEnd(pod: Pod, container: string, observer: PodObserver): HookEnd | undefined {
    return this.inner.containers?.preStopEnd?.(pod, container, this.observerOf(pod, observer))
  }

  hasImage(pod: Pod, container: string, observer: PodObserver): boolean | undefined {
    return this.inner.containers?.images?.hasImage(pod, container, this.observerOf(pod, observer))
  }

  mustPull(pod: Pod): boolean {
    return this.inner.containers?.images?.mustPull(pod) === true
  }

  pullImage(...[pod, container, observer, done, credentials]: Parameters<ImageService["pullImage"]>): void {
    this.inner.containers?.images?.pullImage(pod, container, this.observerOf(pod, observer), done, credentials)
  }

  listImages(): ReadonlyArray<StoredImage> | undefined {
    return this.inner.containers?.images?.listImages?.()
  }

  nodeCredentials(): DockerConfig | undefined {
    return this.inner.containers?.images?.nodeCredentials?.()
  }

  removeImage(ref: string): void {
    this.inner.containers?.images?.removeImage?.(ref)
  }
}
