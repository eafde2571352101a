import { setImmediate } from "node:timers"
import type { StoreShape } from "@rollcall/store"
import { type Change, type Operation, type Revision, StoreFailure } from "@rollcall/store"
import * as Result from "effect/Result"
import { Draft, textsOf, type Verdict } from "./internal/Draft.ts"
import type { Present } from "./internal/Present.ts"
import type { Journal } from "./Journal.ts"

/** Batches that share an fsync at most. */
const GROUP = 1024
/** Nor more once their values measure so much, in characters: they are written as JSON in one go. */
const GROUP_SIZE = 4 * 1024 * 1024
/** Batches that may wait: far beyond what a server lets in at once. */
const WAITING = 65_536
/** And so many characters of values: of a disk that does not answer, memory must not be filled. */
const WAITING_SIZE = 64 * 1024 * 1024

type Reply = Parameters<StoreShape["write"]>[1]

interface Pending {
  readonly batch: ReadonlyArray<Operation>
  readonly values: ReadonlyArray<string | null>
  /** Characters of the values. */
  readonly size: number
  readonly reply: Reply
}

export interface CommitterParts {
  readonly file: string
  readonly journal: Journal
  readonly present: Present
  readonly newest: () => Revision
  /** A group is on disk and in `present`: its changes by revision, and the characters of its values. */
  readonly committed: (changes: ReadonlyArray<ReadonlyArray<Change>>, size: number) => void
}

/**
 * The one writer. While a group is being committed the next one gathers; each batch is judged, and takes its revision, when its
 * group begins, on top of what is durable by then. So a group that fails has changed nothing, and nothing was built on it.
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
    // As text already, since only so its size is known.
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

  /** There are rows to delete: a step at a time, whenever no write waits. */
  sweep(): void {
    this.sweepable = true
    this.plan()
  }

  /** Calls back when all writes so far are answered; later ones are refused. */
  close(done: () => void): void {
    this.closing = done
    this.plan()
  }

  /** Once all that is ready to be read from sockets has been read, and could write. */
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
      // The thread has work again before those who wait hear of what it did.
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
