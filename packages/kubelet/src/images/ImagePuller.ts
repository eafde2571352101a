/**
 * Lets so many pulls run at a time, and the others wait in their order: one with `serializeImagePulls`, and otherwise
 * `maxParallelImagePulls`. Upstream: pkg/kubelet/images/puller.go.
 */
export class ImagePuller {
  private readonly limit: number
  private running = 0
  private readonly waiting: Array<() => void> = []

  constructor(limit: number) {
    this.limit = limit
  }

  /** Calls `pull` as soon as it may run: now, or when others have ended. `ended` is called once for each. */
  begin(pull: () => void): void {
    if (this.running >= this.limit) {
      this.waiting.push(pull)
      return
    }
    this.running++
    pull()
  }

  /** A pull has ended: the next one begins. */
  ended(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.running--
    else next()
  }
}
