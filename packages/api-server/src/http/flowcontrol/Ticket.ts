import type { Timer } from "@rollcall/time"
import type { FlowState } from "./FlowConfiguration.ts"
import type { FlowRequest, FlowWork, Place } from "./FlowControl.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"
import { ESTIMATED_SECONDS, type FlowQueue, type Queued } from "./QueueSet.ts"

export type TicketState = "new" | "waiting" | "executing" | "refused" | "done"

/** A request from its arrival to the end of its work. */
export class Ticket implements Place, Queued {
  readonly question: FlowRequest
  readonly work: FlowWork
  readonly level: PriorityLevel
  readonly flow: FlowState
  /** Identifies its flow within the FlowSchema. */
  readonly distinguisher: string
  readonly seats: number
  /** The estimated seat-seconds. */
  readonly estimate: number
  private readonly left: (ticket: Ticket) => void
  state: TicketState = "new"
  /** The progress of its level when it arrived, in seat-seconds. */
  arrivalR = 0
  /** The times at which it was queued and at which its work started. */
  queuedMs = 0
  startedMs = 0
  queue: FlowQueue | undefined
  /** The neighbours in its queue. */
  next: Queued | undefined
  previous: Queued | undefined
  deadline: Timer | undefined

  constructor(
    question: FlowRequest,
    work: FlowWork,
    level: PriorityLevel,
    flow: FlowState,
    distinguisher: string,
    seats: number,
    left: (ticket: Ticket) => void
  ) {
    this.question = question
    this.work = work
    this.level = level
    this.flow = flow
    this.distinguisher = distinguisher
    this.seats = seats
    this.estimate = seats * ESTIMATED_SECONDS
    this.left = left
  }

  get isWaiting(): boolean {
    return this.state === "waiting" || this.state === "refused"
  }

  get flowSchemaUid(): string {
    return this.flow.uid
  }

  get priorityLevelUid(): string {
    return this.level.uid
  }

  leave(): void {
    if (this.state !== "done") this.left(this)
  }
}
