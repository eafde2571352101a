/** Upstream: pkg/controller/daemon/daemon_controller.go, failedPodsBackoff in cmd/kube-controller-manager. */
const FIRST_MS = 1000
const MOST_MS = 900_000
/** An entry without a failure for this long is reset. */
const FORGOTTEN_AFTER_MS = 2 * MOST_MS
const SWEEP_EVERY_MS = 60_000

interface Entry {
  readonly delayMs: number
  readonly sinceMs: number
}

/**
 * The backoff for deleting failed daemon pods, so that they are not recreated in a hot loop on a node whose kubelet
 * rejects them. The first deletion has no delay; then the delay doubles each time. Upstream:
 * client-go/util/flowcontrol/backoff.go.
 */
export class FailedPodBackoff {
  private readonly entries = new Map<string, Entry>()
  private sweptMs = 0

  /**
   * The delay before the next deletion; undefined if the pod may be deleted now. As upstream, not reduced by the time
   * passed.
   */
  delayOf(key: string, nowMs: number): number | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined || isForgotten(entry, nowMs)) return undefined
    return nowMs - entry.sinceMs < entry.delayMs ? entry.delayMs : undefined
  }

  /** Records a deletion: the next delay is twice as long. */
  next(key: string, nowMs: number): void {
    this.sweep(nowMs)
    const entry = this.entries.get(key)
    const delayMs = entry === undefined || isForgotten(entry, nowMs) ? FIRST_MS : Math.min(2 * entry.delayMs, MOST_MS)
    this.entries.set(key, { delayMs, sinceMs: nowMs })
  }

  private sweep(nowMs: number): void {
    if (nowMs - this.sweptMs < SWEEP_EVERY_MS) return
    this.sweptMs = nowMs
    for (const [key, entry] of this.entries) if (isForgotten(entry, nowMs)) this.entries.delete(key)
  }
}

const isForgotten = ({ sinceMs }: Entry, nowMs: number): boolean => nowMs - sinceMs > FORGOTTEN_AFTER_MS
