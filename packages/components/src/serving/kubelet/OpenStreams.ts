/** What a user has open. */
interface Entry {
  readonly size: number
  readonly end: () => void
}

/**
 * What a server has open for its users, by its size: logs that are followed, commands, ports, or answers that are not read yet.
 * When there is too much, the oldest of the user with the most ends for that of another user, so that no one keeps others out
 * by what never ends.
 */
export class OpenStreams {
  private readonly most: number
  /** What each user has open, the oldest first. */
  private readonly byUser = new Map<string, Set<Entry>>()
  private total = 0

  constructor(most: number) {
    this.most = most
  }

  /**
   * Counts what is opened, which `end` ends. Returns what must be called when it has ended; undefined if there is too much and
   * no other user has more. One by itself may be of any size.
   */
  open(user: string, end: () => void, size = 1): (() => void) | undefined {
    while (this.total > 0 && this.total + size > this.most) if (!this.endOneFor(user, size)) return undefined
    const own = this.byUser.get(user) ?? new Set()
    this.byUser.set(user, own)
    const entry: Entry = { size, end: () => end() }
    own.add(entry)
    this.total += size
    return () => this.remove(user, entry)
  }

  private endOneFor(user: string, size: number): boolean {
    const sizes = [...this.byUser].map(([each, all]) => [each, sizeOf(all)] as const)
    const [busiest, most] = sizes.reduce((found, each) => (each[1] > found[1] ? each : found), ["", 0])
    const [oldest] = this.byUser.get(busiest) ?? []
    const own = sizeOf(this.byUser.get(user) ?? [])
    // One of the same size as theirs would change nothing but who is kept out.
    if (oldest === undefined || most < own + size || busiest === user) return false
    this.remove(busiest, oldest)
    oldest.end()
    return true
  }

  private remove(user: string, entry: Entry): void {
    const all = this.byUser.get(user)
    if (all?.delete(entry) !== true) return
    this.total -= entry.size
    if (all.size === 0) this.byUser.delete(user)
  }
}

const sizeOf = (entries: Iterable<Entry>): number => {
  let sum = 0
  for (const { size } of entries) sum += size
  return sum
}
