import { setImmediate } from "node:timers"
import type { StoreShape } from "@rollcall/store"
import { type Change, type Operation, type Revision, StoreFailure } from "@rollcall/store"
import * as Result from "effect/Result"
import { Draft, textsOf, type Verdict } from "./internal/Draft.ts"
import type { Present } from "./internal/Present.ts"
import type { Journal } from "./Journal.ts"

/** The maximum number of batches that share an fsync. */
const GROUP = 1024
/** The maximum size of their values, in characters: they are written as JSON in one transaction. */
const GROUP_SIZE = 4 * 1024 * 1024
/** The maximum number of waiting batches: far more than a server admits at once. */
const WAITING = 65_536
/** The maximum size of their values, in characters: a disk that does not respond must not fill the memory. */
const WAITING_SIZE = 64 * 1024 * 1024

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
  readonly present: Present
  readonly newest: () => Revision
  /**
   * Called when a group is on disk and in `present`, with its changes by revision, and the size of its values in
   * characters.
   */
  readonly committed: (changes: ReadonlyArray<ReadonlyArray<Change>>, size: number) => void
}

/**
 * The only writer. While one group is committed the next one gathers. Each batch is checked, and gets its revision,
 * when its group begins, based on the state that is durable by then. So a group that fails has changed nothing, and
 * nothing depends on it.
 */
export class Committer {
  private readonly parts: CommitterParts
  private queue: Array<Pending> = []
  private waitingSize = 0
  private busy = false
  private planned = false
  private sweepable = false
  private closing: (() => void) | undefined

  constructor(parts: CommitterParts) {
    this.parts = parts
  }

  write(batch: ReadonlyArray<Operation>, reply: Reply) {
    if (this.closing !== undefined) return reply(fail("the store is closed"))
    if (this.queue.length >= WAITING) return reply(fail(`${WAITING} writes are waiting already`))
    // Serialized here: only the text tells the size.
    const values = textsOf(batch)
    if (values instanceof StoreFailure) return reply(Result.fail(values))
    const size = sizeOf(values)
    if (this.queue.length > 0 && this.waitingSize + size > WAITING_SIZE) {
      return reply(fail(`writes of ${this.waitingSize} characters are waiting already`))
    }
    this.queue.push({ batch, values, size, reply })
    this.waitingSize += size
    this.plan()
  }

  /** Deletes compacted rows, one step at a time, whenever no write waits. */
  sweep(): void {
    this.sweepable = true
    this.plan()
  }

  /** Calls `done` when all writes so far are answered; later ones are refused. */
  close(done: () => void): void {
    this.closing = done
    this.plan()
  }

  /** Commits after everything that is ready on sockets has been read: it may add writes to the group. */
  private plan(): void {
    if (this.busy || this.planned) return
    this.planned = true
    setImmediate(() => {
      this.planned = false
      this.next()
    })
  }

  private next(): void {
    if (this.busy) return
    if (this.queue.length > 0) this.commit()
    else if (this.closing !== undefined) this.closing()
    else if (this.sweepable) this.sweepStep()
  }

  private commit(): void {
    const { file, journal, newest, present } = this.parts
    const draft = new Draft(present.slots, newest(), present.sequence)
    const most = Math.min(GROUP, this.queue.length)
    let count = 0
    while (count < most && draft.size < GROUP_SIZE) {
      const { batch, size, values } = this.queue[count++] as Pending
      draft.add(batch, values)
      this.waitingSize -= size
    }
    const group = count === this.queue.length ? this.queue : this.queue.slice(0, count)
    this.queue = group === this.queue ? [] : this.queue.slice(count)
    if (draft.changes.length === 0) {
      answer(group, draft.verdicts)
      this.plan()
      return
    }
    this.busy = true
    journal.ask("append", draft.rows, (appended) => {
      this.busy = false
      if (appended.ok) {
        present.apply(draft.changes, draft.rows)
        this.parts.committed(draft.changes, draft.size)
      }
      // The next commit is sent to the thread before the writers of this one are answered.
      if (this.queue.length > 0) this.commit()
      else this.plan()
      if (appended.ok) answer(group, draft.verdicts)
      else for (const { reply } of group) reply(fail(`${file} cannot be written: ${appended.message}`))
    })
  }

  private sweepStep(): void {
    this.busy = true
    this.parts.journal.ask("sweep", undefined, (swept) => {
      this.busy = false
      this.sweepable = swept.ok && swept.value
      this.plan()
    })
  }
}

const sizeOf = (values: ReadonlyArray<string | null>): number => {
  let size = 0
  for (const value of values) size += value?.length ?? 0
  return size
}

const fail = (message: string) => Result.fail(new StoreFailure({ message }))

const answer = (group: ReadonlyArray<Pending>, verdicts: ReadonlyArray<Verdict>): void => {
  for (let at = 0; at < group.length; at++) {
    const verdict = verdicts[at] as Verdict
    const { reply } = group[at] as Pending
    reply(typeof verdict === "number" ? Result.succeed(verdict) : Result.fail(verdict))
  }
}
