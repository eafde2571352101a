/**
 * The streams that a server has open: logs that are followed, commands, ports. When there are too many, the oldest of the
 * user with the most ends for that of another user, so that no one keeps others out by streams that never end.
 */
export class OpenStreams {
  private readonly most: number
  /** What ends each stream, the oldest first, by user. */
  private readonly byUser = new Map<string, Set<() => void>>()
  private count = 0

  constructor(most: number) {
    this.most = most
  }

  /**
   * Counts a stream, which `end` ends. Returns what must be called when it has ended; undefined if there are too many and
   * no other user has more.
   */
  open(user: string, end: () => void): (() => void) | undefined {
    if (this.count >= this.most && !this.endOneFor(user)) return undefined
    const own = this.byUser.get(user) ?? new Set()
    this.byUser.set(user, own)
    // Each stream counts by itself, also if two ended in the same way.
    const entry = () => end()
    own.add(entry)
    this.count++
    return () => this.remove(user, entry)
  }

  private endOneFor(user: string): boolean {
    const own = this.byUser.get(user)?.size ?? 0
    const [busiest, all] = [...this.byUser].reduce<readonly [string, ReadonlySet<() => void>]>(
      (most, each) => (each[1].size > most[1].size ? each : most),
      ["", new Set()]
    )
    const [oldest] = all
    if (oldest === undefined || all.size <= own) return false
    this.remove(busiest, oldest)
    oldest()
    return true
  }

  private remove(user: string, entry: () => void): void {
    const all = this.byUser.get(user)
    if (all?.delete(entry) !== true) return
    this.count--
    if (all.size === 0) this.byUser.delete(user)
  }
}
