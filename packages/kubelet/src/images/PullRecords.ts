import * as Result from "effect/Result"
import { nameWithoutTag } from "./imageName.ts"
import { mergedCredentials, type PullCredentials } from "./PullCredentials.ts"

/** What is known of the pulls of one image. */
interface PulledImage {
  readonly updatedMs: number
  /** The credentials that have pulled it, by the name that pods gave it. */
  readonly byName: ReadonlyMap<string, PullCredentials>
}

const nameOf = (image: string): string => Result.getOrElse(nameWithoutTag(image), () => image)

/**
 * The records of a node about the images that its kubelet has pulled, and with whose credentials. They lie on the node's
 * disk, and outlast the kubelet's process. Upstream: pkg/kubelet/images/pullmanager.
 */
export class PullRecords {
  private readonly pulled = new Map<string, PulledImage>()
  /** How many pulls of an image are in progress. */
  private readonly intents = new Map<string, number>()

  /** Whether the kubelet has pulled the image, or does so. */
  isPulledByKubelet(image: string, ref: string): boolean {
    return this.pulled.has(ref) || this.intents.has(image)
  }

  /** Returns whose credentials have pulled an image under the name that a pod gives it; undefined if none are known. */
  credentialsOf(image: string, ref: string): PullCredentials | undefined {
    return this.pulled.get(ref)?.byName.get(nameOf(image))
  }

  begin(image: string): void {
    this.intents.set(image, (this.intents.get(image) ?? 0) + 1)
  }

  failed(image: string): void {
    const left = (this.intents.get(image) ?? 0) - 1
    if (left > 0) this.intents.set(image, left)
    else this.intents.delete(image)
  }

  succeeded(image: string, ref: string, credentials: PullCredentials, nowMs: number): void {
    this.record(image, ref, credentials, nowMs)
    this.failed(image)
  }

  record(image: string, ref: string, credentials: PullCredentials, nowMs: number): void {
    const { byName } = this.pulled.get(ref) ?? { byName: new Map<string, PullCredentials>() }
    const name = nameOf(image)
    const before = byName.get(name)
    const after = before === undefined ? credentials : mergedCredentials(before, credentials)
    if (after !== before) this.pulled.set(ref, { updatedMs: nowMs, byName: new Map(byName).set(name, after) })
  }

  /** Drops the records of images that are not there any more, unless they are as new as the list. */
  prune(remaining: ReadonlySet<string>, sinceMs: number): void {
    for (const [ref, { updatedMs }] of this.pulled) {
      if (updatedMs < sinceMs && !remaining.has(ref)) this.pulled.delete(ref)
    }
  }

  /** Ends the pulls in progress, with the process. Their images count as pulled, with credentials that nobody knows. */
  processEnded(): void {
    for (const image of this.intents.keys()) this.intents.set(image, 0)
  }
}
