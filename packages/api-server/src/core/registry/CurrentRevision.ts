import type { Revision, StoreFailure, StoreShape } from "@rollcall/store"
import type { HandleError } from "@rollcall/time"
import * as Result from "effect/Result"

type Done = (result: Result.Result<Revision, StoreFailure>) => void

/**
 * Asks a store that other servers write to for its newest revision, once for all who ask while an answer is on its way:
 * they get the next one. Upstream: storage/cacher, consistent reads.
 */
export class CurrentRevision {
  private readonly store: StoreShape
  private readonly handleError: HandleError
  private waiting: Array<Done> = []
  private isAsking = false
  /** The number of writes that are handled now without this question. */
  unasked = 0

  constructor(store: StoreShape, handleError: HandleError) {
    this.store = store
    this.handleError = handleError
  }

  /** Whether other servers write to the store: what reads show may be older than what one of them has acknowledged. */
  get isShared(): boolean {
    return this.store.current !== undefined
  }

  /** Replies with a revision that is at least that of every write that was acknowledged before the call. */
  read(done: Done) {
    if (this.store.current === undefined) return done(Result.succeed(this.store.revision()))
    this.waiting.push(done)
    if (!this.isAsking) this.ask(this.store.current)
  }

  private ask(current: NonNullable<StoreShape["current"]>): void {
    const asking = this.waiting
    this.waiting = []
    this.isAsking = true
    current((result) => {
      this.isAsking = false
      // A store that does not answer is not asked once more for those who came meanwhile: they have waited as long.
      const told = Result.isFailure(result) ? [...asking, ...this.waiting] : asking
      if (Result.isFailure(result)) this.waiting = []
      else if (this.waiting.length > 0) this.ask(current)
      for (const done of told) this.tell(done, result)
    })
  }

  /** One that throws does not keep the revision from the others. */
  private tell(done: Done, result: Result.Result<Revision, StoreFailure>): void {
    try {
      done(result)
    } catch (error) {
      this.handleError("read of the newest revision", error)
    }
  }
}
