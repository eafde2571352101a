import { type Operation, type Revision, StoreConflict, StoreFailure, type StoreShape } from "@rollcall/store"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Endpoints } from "./Endpoints.ts"
import { type Failure, lostAnswer, unanswered } from "./errors.ts"
import { KeyOrder } from "./KeyOrder.ts"
import type { KeySpace } from "./keys.ts"
import type { Leases } from "./Leases.ts"
import { isGuarded, outcomeOf, type Prepared, prepareBatch, transactionOf } from "./transactions.ts"

type Reply = Parameters<StoreShape["write"]>[1]

/** The maximum number of writes that are not answered: far more than a server admits at once. */
const MAX_WAITING = 65_536
/** The failure of calls of a closed store. */
export const CLOSED = "the store is closed"

export interface WriterParts {
  readonly endpoints: Endpoints
  readonly leases: Leases
  readonly space: KeySpace
  readonly timeoutMs: number
  /** Whether writes of different keys also wait for each other. */
  readonly isOrdered: boolean
  /** Starts an effect that ends with the store. */
  readonly run: (effect: Effect.Effect<void>) => void
  readonly sawRevision: (revision: Revision) => void
  /** Calls a reply; what it throws ends only that request. */
  readonly answer: (call: () => void) => void
}

/** Writes batches as transactions. Those with a common key are written in the order of the calls, others side by side. */
export class Writer {
  private readonly order = new KeyOrder()
  private readonly parts: WriterParts
  private isClosing = false
  private isClosed = false

  constructor(parts: WriterParts) {
    this.parts = parts
  }

  /** Refuses what comes later, and waits for the answers to what came before, each of which has its deadline. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.isClosing = true
    const idle = Effect.callback<void>((resume) => this.order.whenIdle(() => resume(Effect.void)))
    return Effect.map(Effect.timeoutOption(idle, this.parts.timeoutMs), () => {
      this.isClosed = true
    })
  })

  write(batch: ReadonlyArray<Operation>, reply: Reply) {
    const { answer, isOrdered, run, space } = this.parts
    const fail = (message: string) => reply(Result.fail(new StoreFailure({ message })))
    if (this.isClosing) return fail(CLOSED)
    if (this.order.size >= MAX_WAITING) return fail(`${MAX_WAITING} writes are waiting already`)
    const prepared = prepareBatch(space, batch)
    if (prepared instanceof StoreFailure) return reply(Result.fail(prepared))
    const keys = isOrdered ? [""] : batch.map(({ key }) => key)
    this.order.run(keys, (done) => {
      const end = (exit: Exit.Exit<Revision, StoreConflict | StoreFailure>) => {
        done()
        answer(() => replyWith(exit, prepared, reply))
      }
      // Nothing runs any more.
      if (this.isClosed) return end(Exit.fail(new StoreFailure({ message: CLOSED })))
      run(Effect.ignore(Effect.onExit(this.commit(prepared), (exit) => Effect.sync(() => end(exit)))))
    })
  }

  private readonly commit = Effect.fnUntraced({ self: this }, function* (this: Writer, batch: ReadonlyArray<Prepared>) {
    const { endpoints, sawRevision, timeoutMs } = this.parts
    const leases = yield* this.leasesOf(batch)
    const { answer, earlier } = yield* endpoints
      .ask({
        timeoutMs,
        isRepeatable: isGuarded(batch),
        send: ({ txn }, options, earlier) => {
          const request = transactionOf(batch, (operation) => leases.get(operation) ?? 0n)
          return txn(request, options).then((answer) => ({ answer, earlier }))
        }
      })
      .pipe(Effect.mapError((failure) => this.failed(failure)))
    const { conflict, revision } = outcomeOf(batch, answer)
    sawRevision(revision)
    if (conflict === undefined) return revision
    // The revision may have been replaced by the earlier attempt, or by another write, with the same value even.
    return yield* Effect.fail(earlier ? new StoreFailure({ message: lostAnswer(conflict.key) }) : conflict)
  })

  private readonly leasesOf = Effect.fnUntraced(
    { self: this },
    function* (this: Writer, batch: ReadonlyArray<Prepared>) {
      const leases = new Map<Operation, bigint>()
      for (const { operation } of batch) {
        if (operation.type === "delete" || operation.ttlMs === undefined) continue
        const lease = this.parts.leases.lasting(operation.ttlMs)
        leases.set(operation, yield* Effect.mapError(lease, (failure) => this.failed(failure)))
      }
      return leases
    }
  )

  private failed(failure: Failure): StoreFailure {
    const { endpoints, leases, timeoutMs } = this.parts
    if (failure.type !== "refused") {
      return new StoreFailure({ message: unanswered(endpoints.urls, timeoutMs, failure, true) })
    }
    leases.forget()
    return new StoreFailure({ message: failure.message })
  }
}

const replyWith = (
  exit: Exit.Exit<Revision, StoreConflict | StoreFailure>,
  batch: ReadonlyArray<Prepared>,
  reply: Reply
) => {
  if (Exit.isSuccess(exit)) {
    return reply(
      Result.succeed(exit.value),
      batch.map(({ text }) => text)
    )
  }
  const error = Cause.squash(exit.cause)
  if (error instanceof StoreConflict || error instanceof StoreFailure) return reply(Result.fail(error))
  const message = Cause.hasInterruptsOnly(exit.cause) ? CLOSED : String(error)
  reply(Result.fail(new StoreFailure({ message })))
}
