import { type Answer, type Connection, isForbidden, isNotFound } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Answers, ReadAnswer } from "./problems.ts"
import type { HeldBy, Reference, ReferencedKind } from "./Reference.ts"

/** How long a reader waits for the API. Upstream: pkg/kubelet/util/manager/watch_based_manager.go, Get. */
const DEADLINE_MS = 1_000
/** The API may not know yet that a new pod is on the node, and then forbids the first read. */
const FORBIDDEN_AGAIN_MS = 500

type Take = (answer: ReadAnswer) => void

const keyOf = (namespace: string, { kind, name }: Pick<Reference, "kind" | "name">): string =>
  `${kind}/${namespace}/${name}`

/**
 * Reads the objects that the pods of one node name, as the node may. It keeps nothing: upstream watches each object that
 * a pod names, and what it knows only matters when a volume is set up or a container starts. Reads of one object at a time are one request.
 */
export class ReferenceReader {
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly heldBy: HeldBy
  /** The reads in flight; created for the first one. */
  private reading: Map<string, Array<Take>> | undefined = undefined
  /** The kinds that the API has lately forbidden to read. */
  private forbidden: ReadonlySet<ReferencedKind> = new Set()

  constructor(connection: Connection, timers: TimersShape, heldBy: HeldBy) {
    this.connection = connection
    this.timers = timers
    this.heldBy = heldBy
  }

  /** Reads what is referred to; `done` is called once, within the call or later. Returns a function that cancels. */
  read(namespace: string, references: ReadonlyArray<Reference>, done: (answers: Answers) => void): () => void {
    const found = new Map<string, ReadAnswer>()
    const wanted = new Map(references.map((reference) => [keyOf(namespace, reference), reference]))
    let isCancelled = false
    const finish = () => {
      if (!isCancelled) done((reference) => found.get(keyOf(namespace, reference)) ?? "unreadable")
    }
    if (wanted.size === 0) finish()
    for (const [key, reference] of wanted) {
      this.readOne(key, namespace, reference, (answer) => {
        found.set(key, answer)
        if (found.size === wanted.size) finish()
      })
    }
    return () => {
      isCancelled = true
    }
  }

  private readOne(key: string, namespace: string, { kind, name }: Reference, take: Take): void {
    if (!this.heldBy(kind, namespace)) {
      take("unreadable")
      return
    }
    const others = this.reading?.get(key)
    if (others !== undefined) {
      others.push(take)
      return
    }
    const takers = [take]
    this.reading ??= new Map()
    this.reading.set(key, takers)
    this.ask(kind, namespace, name, (answer) => {
      this.reading?.delete(key)
      for (const each of takers) each(answer)
    })
  }

  private ask(kind: ReferencedKind, namespace: string, name: string, done: Take): void {
    let isOver = false
    let deadline: Timer | undefined
    let again: Timer | undefined
    let cancel = (): void => undefined
    const finish = (answer: ReadAnswer): void => {
      if (isOver) return
      isOver = true
      for (const timer of [deadline, again]) if (timer !== undefined) this.timers.cancel(timer)
      done(answer)
    }
    const send = (isAgain: boolean): void => {
      const scope = namespace === "" ? {} : { namespace }
      cancel = this.connection.send({ verb: "get", kind, ...scope, name }, (answer) => {
        const known = this.knownOf(kind, answer, isAgain)
        if (known === undefined) again = this.timers.after(FORBIDDEN_AGAIN_MS, () => send(true))
        else finish(known)
      })
    }
    send(false)
    if (isOver) return
    deadline = this.timers.after(DEADLINE_MS, () => {
      cancel()
      finish("unsynced")
    })
  }

  /** Returns what an answer says; undefined if the object is to be asked for again. */
  private knownOf(kind: ReferencedKind, answer: Answer, isAgain: boolean): ReadAnswer | undefined {
    if (Result.isSuccess(answer)) {
      if (this.forbidden.has(kind)) this.forbidden = new Set([...this.forbidden].filter((each) => each !== kind))
      return answer.success as Exclude<ReadAnswer, string>
    }
    if (isNotFound(answer.failure)) return "missing"
    if (!isForbidden(answer.failure)) return "unsynced"
    if (!isAgain && !this.forbidden.has(kind)) return undefined
    this.forbidden = new Set([...this.forbidden, kind])
    return "unreadable"
  }
}
