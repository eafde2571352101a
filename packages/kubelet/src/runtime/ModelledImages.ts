import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { DockerConfig, RegistryCredentials } from "../credentials/dockerConfig.ts"
import type { ModelledImageOptions } from "./ModelledPodRuntimeOptions.ts"
import { fullName, ModelledRegistry } from "./ModelledRegistry.ts"
import { containerOf } from "./modelledOutcomes.ts"
import { behaviourOf, type ContainerBehaviour } from "./PodBehaviour.ts"
import type { PodPlan } from "./PodPlan.ts"
import type { ImageService, PodObserver, StoredImage } from "./PodRuntime.ts"
import type { UsageSink } from "./UsageSink.ts"

const failures = ({ imagePull, imagePullError, imagePullFailTimes }: ContainerBehaviour): number =>
  imagePullFailTimes ?? (imagePull === "fail" || imagePullError !== undefined ? Number.POSITIVE_INFINITY : 0)

/** Reads `user:password`. */
const credentialsIn = (text: string): RegistryCredentials => {
  const [username = "", ...password] = text.split(":")
  return { username, password: password.join(":") }
}

/** Whether a behaviour says that the image is not simply there. */
const isOfRegistry = (behaviour: ContainerBehaviour | undefined): boolean =>
  behaviour?.imagePullSeconds !== undefined ||
  behaviour?.imagePullFailTimes !== undefined ||
  behaviour?.imagePullCredentials !== undefined

/**
 * The images of one modelled node, which keeps what it has pulled until its kubelet removes it. Without options every image is there,
 * except those whose pull a behaviour describes.
 */
export class ModelledImages implements ImageService {
  private readonly timers: TimersShape
  private readonly options: ModelledImageOptions | undefined
  private readonly registry: ModelledRegistry
  private readonly planOf: (observer: PodObserver) => PodPlan | undefined
  private readonly host: UsageSink | undefined
  /** The full names of the images that are there; undefined while none is known. */
  private present: Set<string> | undefined = undefined
  /** When the pulls in progress end, by full name, and their timers; undefined before the first. */
  private pulls: Map<string, number> | undefined = undefined
  private planned: Set<Timer> | undefined = undefined

  constructor(
    timers: TimersShape,
    options: ModelledImageOptions | undefined,
    planOf: (observer: PodObserver) => PodPlan | undefined,
    host: UsageSink | undefined
  ) {
    this.timers = timers
    this.options = options
    this.registry = new ModelledRegistry(options)
    this.planOf = planOf
    this.host = host
    if (options === undefined) return
    this.present = new Set(options.present?.map(fullName))
    if (this.present.size > 0) this.report()
  }

  hasImage(pod: Pod, container: string, observer: PodObserver): boolean | undefined {
    const behaviour = this.behaviourOf(container, observer)
    if (this.failsNext(behaviour, container, observer)) return false
    if (this.options === undefined && !isOfRegistry(behaviour)) return undefined
    return this.has(containerOf(pod, container)?.image ?? "")
  }

  mustPull(pod: Pod): boolean {
    if (this.options === undefined) return false
    return pod.spec.containers.some(
      ({ image = "", imagePullPolicy }) => imagePullPolicy === "Always" || !this.has(image)
    )
  }

  pullImage(
    pod: Pod,
    container: string,
    observer: PodObserver,
    done: (pulled: Result.Result<number, string>) => void,
    credentials?: RegistryCredentials
  ): void {
    const image = fullName(containerOf(pod, container)?.image ?? "")
    const behaviour = this.behaviourOf(container, observer)
    const refusal = this.failsNext(behaviour, container, observer)
      ? this.registry.failure(image, behaviour)
      : this.registry.refusal(image, behaviour, credentials)
    if (refusal !== undefined) {
      this.planOf(observer)?.pulled(container)
      this.after(0, () => done(Result.fail(refusal)))
      return
    }
    const now = this.timers.now()
    const endMs =
      this.present?.has(image) === true
        ? now
        : (this.pulls?.get(image) ?? now + this.registry.pullMsOf(image, behaviour))
    this.pulls ??= new Map()
    this.pulls.set(image, endMs)
    this.after(endMs - now, () => {
      this.pulls?.delete(image)
      this.add(image)
      done(Result.succeed(this.registry.sizeOf(image)))
    })
  }

  nodeCredentials(): DockerConfig | undefined {
    const { dockerConfig } = this.options ?? {}
    return (
      dockerConfig && new Map(Object.entries(dockerConfig).map(([registry, text]) => [registry, credentialsIn(text)]))
    )
  }

  listImages(): ReadonlyArray<StoredImage> | undefined {
    if (this.present === undefined) return undefined
    return Array.from(this.present, (ref) => ({ ref, sizeBytes: this.registry.sizeOf(ref) }))
  }

  removeImage(ref: string): void {
    if (this.present?.delete(ref) === true) this.report()
  }

  /** Ends the pulls in progress. The images stay. */
  powerOff(): void {
    for (const timer of this.planned ?? []) this.timers.cancel(timer)
    this.planned = undefined
    this.pulls = undefined
  }

  private behaviourOf(container: string, observer: PodObserver): ContainerBehaviour | undefined {
    return behaviourOf(this.planOf(observer)?.behaviour, container)
  }

  private failsNext(behaviour: ContainerBehaviour | undefined, container: string, observer: PodObserver): boolean {
    return behaviour !== undefined && failures(behaviour) > (this.planOf(observer)?.pulls(container) ?? 0)
  }

  private has(image: string): boolean {
    return image === "" || this.present?.has(fullName(image)) === true
  }

  private add(image: string): void {
    this.present ??= new Set()
    if (this.present.has(image)) return
    this.present.add(image)
    this.report()
  }

  /** Tells the machine its images, the largest first. */
  private report(): void {
    const images = (this.listImages() ?? []).toSorted(
      (left, right) => right.sizeBytes - left.sizeBytes || (left.ref < right.ref ? -1 : 1)
    )
    this.host?.setImages?.(images.map(({ ref, sizeBytes }) => ({ repoDigests: [], repoTags: [ref], sizeBytes })))
  }

  private after(delayMs: number, act: () => void): void {
    const timer = this.timers.after(delayMs, () => {
      this.planned?.delete(timer)
      act()
    })
    this.planned ??= new Set()
    this.planned.add(timer)
  }
}
