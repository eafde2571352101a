/**
 * The first and the longest delay. Upstream: pkg/controller/daemon/daemon_controller.go, failedPodsBackoff in
 * cmd/kube-controller-manager.
 */
const FIRST_MS = 1000
const MAX_MS = 900_000
/** An entry is dropped this long after its last deletion. */
const EXPIRES_AFTER_MS = 2 * MAX_MS
/** How often expired entries are dropped. */
const SWEEP_EVERY_MS = 60_000

interface Entry {
  readonly delayMs: number
  readonly deletedAtMs: number
}

/**
 * The backoff for deleting failed daemon pods, so that they are not recreated in a hot loop on a node whose kubelet
 * rejects them. The first deletion has no delay; then the delay doubles each time. Upstream:
 * client-go/util/flowcontrol/backoff.go.
 */
export class FailedPodBackoff {
  private readonly entries = new Map<string, Entry>()
  private lastSweepMs = 0

  /**
   * Returns the delay before the next deletion; undefined if the pod may be deleted now. As upstream, it is the whole
   * delay, not what is left of it.
   */
  delayOf(key: string, nowMs: number): number | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined || isExpired(entry, nowMs)) return undefined
    return nowMs - entry.deletedAtMs < entry.delayMs ? entry.delayMs : undefined
  }

  /** Records a deletion: the next delay is twice as long. */
  recordDeletion(key: string, nowMs: number): void {
    this.sweep(nowMs)
    const entry = this.entries.get(key)
    const delayMs = entry === undefined || isExpired(entry, nowMs) ? FIRST_MS : Math.min(2 * entry.delayMs, MAX_MS)
    this.entries.set(key, { delayMs, deletedAtMs: nowMs })
  }

  private sweep(nowMs: number): void {
    if (nowMs - this.lastSweepMs < SWEEP_EVERY_MS) return
    this.lastSweepMs = nowMs
    for (const [key, entry] of this.entries) if (isExpired(entry, nowMs)) this.entries.delete(key)
  }
}

const isExpired = ({ deletedAtMs }: Entry, nowMs: number): boolean => nowMs - deletedAtMs > EXPIRES_AFTER_MS
