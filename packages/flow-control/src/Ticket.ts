import type { Timer } from "@rollcall/time"
import type { FlowState } from "./FlowConfiguration.ts"
import type { FlowRequest, FlowWork, Place } from "./FlowControl.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"
import { ESTIMATED_SECONDS, type FlowQueue, type QueuedRequest } from "./QueueSet.ts"

export type TicketState = "new" | "waiting" | "executing" | "refused" | "done"

/** A request in flow control, from its arrival to the end of its work. */
export class Ticket implements Place, QueuedRequest {
  readonly request: FlowRequest
  readonly work: FlowWork
  readonly level: PriorityLevel
  readonly flow: FlowState
  /** Identifies its flow within the FlowSchema. */
  readonly distinguisher: string
  readonly seats: number
  /** The estimated seat-seconds. */
  readonly estimate: number
  /** Called when the request leaves before or after its work. */
  private readonly onLeave: (ticket: Ticket) => void
  state: TicketState = "new"
  /** The level's virtual time when it arrived, in seat-seconds; see `QueueSet`. */
  arrivalR = 0
  /** When it was queued and when its work started, in milliseconds since the epoch; 0 for not yet. */
  queuedMs = 0
  startedMs = 0
  queue: FlowQueue | undefined
  /** The neighbours in its queue. */
  next: QueuedRequest | undefined
  previous: QueuedRequest | undefined
  /** Ends its wait. */
  deadline: Timer | undefined

  constructor(
    request: FlowRequest,
    work: FlowWork,
    level: PriorityLevel,
    flow: FlowState,
    distinguisher: string,
    seats: number,
    onLeave: (ticket: Ticket) => void
  ) {
    this.request = request
    this.work = work
    this.level = level
    this.flow = flow
    this.distinguisher = distinguisher
    this.seats = seats
    this.estimate = seats * ESTIMATED_SECONDS
    this.onLeave = onLeave
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
    if (this.state !== "done") this.onLeave(this)
  }
}
