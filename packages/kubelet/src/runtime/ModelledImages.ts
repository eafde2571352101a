import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { fullImageName } from "../images/imageName.ts"
import type { ModelledImageOptions } from "./ModelledPodRuntimeOptions.ts"
import { containerOf } from "./modelledOutcomes.ts"
import { behaviourOf, type ContainerBehaviour } from "./PodBehaviour.ts"
import type { PodPlan } from "./PodPlan.ts"
import type { ImageService, PodObserver } from "./PodRuntime.ts"
import type { UsageSink } from "./UsageSink.ts"

const DEFAULT_SIZE_BYTES = 100 * 1024 * 1024

const fullName = (image: string): string => Result.getOrElse(fullImageName(image), () => image)

const failures = ({ imagePull, imagePullFailTimes }: ContainerBehaviour): number =>
  imagePullFailTimes ?? (imagePull === "fail" ? Number.POSITIVE_INFINITY : 0)

/** What containerd says about an image that the registry does not have. */
const notFound = (image: string): string => {
  const reference = JSON.stringify(image)
  const cause = `failed to resolve reference ${reference}: ${image}: not found`
  return `rpc error: code = NotFound desc = failed to pull and unpack image ${reference}: ${cause}`
}

/**
 * The images of one modelled node, which keeps what it has pulled. Without options every image is there, except those
 * whose pull a behaviour describes.
 */
export class ModelledImages implements ImageService {
  private readonly timers: TimersShape
  private readonly options: ModelledImageOptions | undefined
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
    this.planOf = planOf
    this.host = host
    if (options === undefined) return
    this.present = new Set(options.present?.map(fullName))
    if (this.present.size > 0) this.report(this.present)
  }

  hasImage(pod: Pod, container: string, observer: PodObserver): boolean | undefined {
    const behaviour = this.behaviourOf(container, observer)
    if (this.failsNext(behaviour, container, observer)) return false
    if (this.options === undefined && behaviour?.imagePullSeconds === undefined) return undefined
    return this.has(containerOf(pod, container)?.image ?? "")
  }

  mustPull({ spec }: Pod): boolean {
    if (this.options === undefined) return false
    return spec.containers.some(({ image = "", imagePullPolicy }) => imagePullPolicy === "Always" || !this.has(image))
  }

  pullImage(
    pod: Pod,
    container: string,
    observer: PodObserver,
    done: (pulled: Result.Result<number, string>) => void
  ): void {
    const { missing = [], pullMs = 0, pullMsOf = {}, sizeBytes = DEFAULT_SIZE_BYTES } = this.options ?? {}
    const image = fullName(containerOf(pod, container)?.image ?? "")
    const behaviour = this.behaviourOf(container, observer)
    if (this.failsNext(behaviour, container, observer) || missing.some((name) => fullName(name) === image)) {
      this.planOf(observer)?.pulled(container)
      this.after(0, () => done(Result.fail(notFound(image))))
      return
    }
    const now = this.timers.now()
    const ofImage = Object.entries(pullMsOf).find(([name]) => fullName(name) === image)?.[1] ?? pullMs
    const tookMs = behaviour?.imagePullSeconds === undefined ? ofImage : behaviour.imagePullSeconds * 1000
    const endMs = this.present?.has(image) === true ? now : (this.pulls?.get(image) ?? now + tookMs)
    this.pulls ??= new Map()
    this.pulls.set(image, endMs)
    this.after(endMs - now, () => {
      this.pulls?.delete(image)
      this.add(image)
      done(Result.succeed(sizeBytes))
    })
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
    this.report(this.present)
  }

  private report(images: ReadonlySet<string>): void {
    const { sizeBytes = DEFAULT_SIZE_BYTES } = this.options ?? {}
    const names = [...images].toSorted()
    this.host?.setImages?.(names.map((name) => ({ repoDigests: [], repoTags: [name], sizeBytes })))
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
