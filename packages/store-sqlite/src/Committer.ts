import { setImmediate } from "node:timers"
import type { StoreShape } from "@rollcall/store"
import { type Change, type Operation, type Revision, StoreFailure } from "@rollcall/store"
import * as Result from "effect/Result"
import type { CurrentState } from "./internal/CurrentState.ts"
import { type BatchResult, Draft, serialize } from "./internal/Draft.ts"
import type { Journal } from "./Journal.ts"

/** The maximum number of batches that share an fsync. */
const MAX_GROUP_BATCHES = 1024
/** The maximum size of their values, in characters: they are written as JSON in one transaction. */
const MAX_GROUP_SIZE = 4 * 1024 * 1024
/** The maximum number of waiting batches: far more than a server admits at once. */
const MAX_WAITING_BATCHES = 65_536
/** The maximum size of their values, in characters: a disk that does not respond must not fill the memory. */
const MAX_WAITING_SIZE = 64 * 1024 * 1024

type Reply = Parameters<StoreShape["write"]>[1]

interface Pending {
  readonly batch: ReadonlyArray<Operation>
  readonly values: ReadonlyArray<string | null>
  /** The size of the values, in characters. */
  readonly size: number
  readonly reply: Reply
}

export interface CommitterParts {
  readonly file: string
  readonly journal: Journal
  readonly state: CurrentState
  /** Returns the newest revision. */
  readonly newest: () => Revision
  /**
   * Called when a group is on disk and in `state`, with its changes by revision, and the size of its values in
   * characters.
   */
  readonly committed: (changes: ReadonlyArray<ReadonlyArray<Change>>, size: number) => void
}

/**
 * The only writer of the file. While one group of batches is committed, the next one gathers. A batch is checked, and gets
 * its revision, only when its group begins, based on the state that is durable by then. So a group that fails has changed
 * nothing, and nothing depends on it.
 */
export class Committer {
  private readonly parts: CommitterParts
  private queue: Array<Pending> = []
  private waitingSize = 0
  private isCommitting = false
  private isScheduled = false
  private mayHaveRowsToSweep = false
  private closing: (() => void) | undefined

  constructor(parts: CommitterParts) {
    this.parts = parts
  }

  write(batch: ReadonlyArray<Operation>, reply: Reply) {
    if (this.closing !== undefined) return reply(fail("the store is closed"))
    if (this.queue.length >= MAX_WAITING_BATCHES)
      return reply(fail(`${MAX_WAITING_BATCHES} writes are waiting already`))
    // Serialized here: only the text tells the size.
    const values = serialize(batch)
    if (values instanceof StoreFailure) return reply(Result.fail(values))
    const size = sizeOf(values)
    if (this.queue.length > 0 && this.waitingSize + size > MAX_WAITING_SIZE) {
      return reply(fail(`writes of ${this.waitingSize} characters are waiting already`))
    }
    this.queue.push({ batch, values, size, reply })
    this.waitingSize += size
    this.schedule()
  }

  /** Deletes compacted rows, one step at a time, whenever no write waits. */
  sweep(): void {
    this.mayHaveRowsToSweep = true
    this.schedule()
  }

  /** Calls `done` when all writes so far are answered; later ones are refused. */
  close(done: () => void): void {
    this.closing = done
    this.schedule()
  }

  /** Schedules the next step after everything that is ready on sockets has been read, which may add writes to the group. */
  private schedule(): void {
    if (this.isCommitting || this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.next()
    })
  }

  private next(): void {
    if (this.isCommitting) return
    if (this.queue.length > 0) this.commit()
    else if (this.closing !== undefined) this.closing()
    else if (this.mayHaveRowsToSweep) this.sweepStep()
  }

  private commit(): void {
    const { file, journal, newest, state } = this.parts
    const draft = new Draft(state.slots, newest(), state.sequence)
    const maxBatches = Math.min(MAX_GROUP_BATCHES, this.queue.length)
    let count = 0
    while (count < maxBatches && draft.size < MAX_GROUP_SIZE) {
      const { batch, size, values } = this.queue[count++] as Pending
      draft.add(batch, values)
      this.waitingSize -= size
    }
    const group = count === this.queue.length ? this.queue : this.queue.slice(0, count)
    this.queue = group === this.queue ? [] : this.queue.slice(count)
    if (draft.changes.length === 0) {
      replyToGroup(group, draft.results)
      this.schedule()
      return
    }
    this.isCommitting = true
    journal.ask("append", draft.rows, (appended) => {
      this.isCommitting = false
      if (appended.ok) {
        state.apply(draft.changes, draft.rows)
        this.parts.committed(draft.changes, draft.size)
      }
      // The next commit is sent to the thread before the writers of this one are answered.
      if (this.queue.length > 0) this.commit()
      else this.schedule()
      if (appended.ok) replyToGroup(group, draft.results)
      else for (const { reply } of group) reply(fail(`${file} cannot be written: ${appended.message}`))
    })
  }

  private sweepStep(): void {
    this.isCommitting = true
    this.parts.journal.ask("sweep", undefined, (swept) => {
      this.isCommitting = false
      this.mayHaveRowsToSweep = swept.ok && swept.value
      this.schedule()
    })
  }
}

const sizeOf = (values: ReadonlyArray<string | null>): number => {
  let size = 0
  for (const value of values) size += value?.length ?? 0
  return size
}

const fail = (message: string) => Result.fail(new StoreFailure({ message }))

const replyToGroup = (group: ReadonlyArray<Pending>, results: ReadonlyArray<BatchResult>): void => {
  for (let at = 0; at < group.length; at++) {
    const result = results[at] as BatchResult
    const { reply, values } = group[at] as Pending
    if (typeof result === "number") reply(Result.succeed(result), values)
    else reply(Result.fail(result))
  }
}
