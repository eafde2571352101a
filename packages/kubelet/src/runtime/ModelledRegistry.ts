import * as Result from "effect/Result"
import type { RegistryCredentials } from "../credentials/dockerConfig.ts"
import { fullImageName } from "../images/imageName.ts"
import type { ModelledImageOptions } from "./ModelledPodRuntimeOptions.ts"
import type { ContainerBehaviour } from "./PodBehaviour.ts"

const DEFAULT_SIZE_BYTES = 100 * 1024 * 1024

export const fullName = (image: string): string => Result.getOrElse(fullImageName(image), () => image)

/** What containerd says about an image that it cannot pull. */
const failedPull = (code: string, image: string, cause: string): string => {
  const reference = JSON.stringify(image)
  const unpacked = `failed to pull and unpack image ${reference}`
  return `rpc error: code = ${code} desc = ${unpacked}: failed to resolve reference ${reference}: ${cause}`
}

const notFound = (image: string): string => failedPull("NotFound", image, `${image}: not found`)

/** What containerd says about a registry that lets nobody in without credentials, or not with these. */
const denied = (image: string, given: RegistryCredentials | undefined): string => {
  const why = given === undefined ? "authorization failed: no basic auth credentials" : "incorrect username or password"
  return failedPull(
    "Unknown",
    image,
    `pull access denied, repository does not exist or may require authorization: ${why}`
  )
}

const ofImage = <A>(table: Readonly<Record<string, A>> | undefined, image: string): A | undefined =>
  Object.entries(table ?? {}).find(([name]) => fullName(name) === image)?.[1]

/** The registry of the images of modelled nodes. */
export class ModelledRegistry {
  private readonly options: ModelledImageOptions

  constructor(options: ModelledImageOptions = {}) {
    this.options = options
  }

  /** Returns the size of an image. */
  sizeOf(image: string): number {
    const { sizeBytes = DEFAULT_SIZE_BYTES, sizeBytesOf } = this.options
    return ofImage(sizeBytesOf, image) ?? sizeBytes
  }

  /** Returns how long a pull takes. */
  pullMsOf(image: string, behaviour: ContainerBehaviour | undefined): number {
    const { pullMs = 0, pullMsOf } = this.options
    return behaviour?.imagePullSeconds === undefined
      ? (ofImage(pullMsOf, image) ?? pullMs)
      : behaviour.imagePullSeconds * 1000
  }

  /** Returns why an image cannot be pulled with these credentials, or without any; undefined if it can. */
  refusal(
    image: string,
    behaviour: ContainerBehaviour | undefined,
    given: RegistryCredentials | undefined
  ): string | undefined {
    const { missing = [] } = this.options
    if (missing.some((name) => fullName(name) === image)) return behaviour?.imagePullError ?? notFound(image)
    const wanted = behaviour?.imagePullCredentials ?? this.wantedFor(image)
    const isLetIn = wanted === undefined || wanted === `${given?.username}:${given?.password}`
    return isLetIn ? undefined : denied(image, given)
  }

  /** What a pull fails with that a behaviour lets fail. */
  failure(image: string, behaviour: ContainerBehaviour | undefined): string {
    return behaviour?.imagePullError ?? notFound(image)
  }

  /** Returns whom the repository lets in, by the longest beginning of its name; undefined if everybody. */
  private wantedFor(image: string): string | undefined {
    const { credentials = {} } = this.options
    const begins = Object.keys(credentials).filter(
      (start) => image.startsWith(start) && /^[/:@]?$/.test(image.charAt(start.length))
    )
    const [longest] = begins.toSorted((left, right) => right.length - left.length)
    return longest === undefined ? undefined : credentials[longest]
  }
}
