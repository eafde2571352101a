import type { DockerConfig } from "./dockerConfig.ts"
import type { CacheKeyType } from "./pluginProtocol.ts"

/** Upstream: plugin.go, globalCacheKey, cachePurgeInterval. */
const GLOBAL = "<global>"
const PURGE_MS = 900_000
/** The answers that are kept of one plugin. */
const MAX_ANSWERS = 1_000

interface Answer {
  readonly config: DockerConfig
  readonly expiresMs: number
}

const registryOf = (image: string): string => image.split("/", 1)[0] ?? ""

const partOf = (type: CacheKeyType, image: string): string =>
  type === "Global" ? GLOBAL : type === "Registry" ? registryOf(image) : image

/** Names an answer: no two keys of images and accounts are the same text. */
const keyOf = (type: CacheKeyType, image: string, account: string): string =>
  JSON.stringify([partOf(type, image), account])

/** The answers of one plugin, for the images that each says it holds for, and for one service account. */
export class PluginCache {
  private readonly answers = new Map<string, Answer>()
  private purgedMs: number

  constructor(nowMs: number) {
    this.purgedMs = nowMs
  }

  /** Returns the answer for an image, the closest first. `account` is "" without a service account. */
  get(image: string, account: string, nowMs: number): DockerConfig | undefined {
    this.purge(nowMs)
    for (const type of ["Image", "Registry", "Global"] as const) {
      const answer = this.answers.get(keyOf(type, image, account))
      if (answer !== undefined && answer.expiresMs >= nowMs) return answer.config
    }
    return undefined
  }

  add(type: CacheKeyType, image: string, account: string, answer: Answer): void {
    const [oldest] = this.answers.keys()
    if (this.answers.size >= MAX_ANSWERS && oldest !== undefined) this.answers.delete(oldest)
    this.answers.set(keyOf(type, image, account), answer)
  }

  private purge(nowMs: number): void {
    if (nowMs <= this.purgedMs + PURGE_MS) return
    this.purgedMs = nowMs
    for (const [key, { expiresMs }] of this.answers) if (expiresMs < nowMs) this.answers.delete(key)
  }
}
