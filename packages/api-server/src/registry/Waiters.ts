import type { Revision } from "@rollcall/store"

interface Waiter {
  readonly revision: Revision
  readonly callback: () => void
}

/** Those who wait for reads to show a revision. */
export class Waiters {
  private waiting: Array<Waiter> = []

  add(revision: Revision, callback: () => void): () => void {
    const waiter = { revision, callback }
    this.waiting.push(waiter)
    return () => {
      this.waiting = this.waiting.filter((other) => other !== waiter)
    }
  }

  /** Calls those whose revision has come, in the order in which they came. */
  wake(revision: Revision): void {
    if (this.waiting.length === 0) return
    const due = this.waiting.filter((waiter) => waiter.revision <= revision)
    if (due.length === 0) return
    this.waiting = this.waiting.filter((waiter) => waiter.revision > revision)
    for (const { callback } of due) callback()
  }
}
