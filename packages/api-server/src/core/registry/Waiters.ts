import type { Revision } from "@rollcall/store"
import type { HandleError } from "@rollcall/time"

interface Waiter {
  readonly revision: Revision
  readonly callback: () => void
}

/** Those who wait for reads to show a revision. */
export class Waiters {
  private readonly handleError: HandleError
  private waiting: Array<Waiter> = []

  constructor(handleError: HandleError) {
    this.handleError = handleError
  }

  add(revision: Revision, callback: () => void): () => void {
    const waiter = { revision, callback }
    this.waiting.push(waiter)
    return () => {
      this.waiting = this.waiting.filter((other) => other !== waiter)
    }
  }

  /** Calls those whose revision has come, in the order in which they came; one that throws keeps none of the others waiting. */
  wake(revision: Revision): void {
    if (this.waiting.length === 0) return
    const due = this.waiting.filter((waiter) => waiter.revision <= revision)
    if (due.length === 0) return
    this.waiting = this.waiting.filter((waiter) => waiter.revision > revision)
    for (const { callback } of due) {
      try {
        callback()
      } catch (error) {
        this.handleError("read of a revision", error)
      }
    }
  }
}
