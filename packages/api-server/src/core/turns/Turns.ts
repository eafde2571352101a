import type { Steps } from "@rollcall/time"

/** The event loop, as `Turns` uses it. */
export interface TurnsOptions {
  /**
   * Runs a callback after the event loop has processed input and output for `restMs` milliseconds; with 0, after it has
   * done so once.
   */
  readonly nextTurn: (callback: () => void, restMs: number) => void
  /** Returns a time in milliseconds, since any fixed moment. */
  readonly now: () => number
  /** How long work may run before the event loop processes input and output; by default 5 ms. */
  readonly turnMs?: number
}

/** Work that is queued: it has not started, or it has paused. */
interface Task {
  readonly steps: Steps<void>
  /** Called with the error that a step throws. */
  readonly onError: (error: unknown) => void
}

/** As long as the time slices in which the HTTP server starts requests: see `Dispatcher` of `@rollcall/flow-control`. */
const TURN_MS = 5
/**
 * After work that ran for longer than two slices, the thread is left to input and output for this fraction of that time:
 * a waiting client may send several requests, and a new connection takes several round trips.
 */
const REST_SHARE = 0.2
const MAX_REST_MS = 25

/**
 * Divides the thread between long-running requests and all others (cooperative scheduling). Work starts at once, and
 * most of it ends within its time slice. Work that has run longer pauses at its next yield and continues in later
 * slices. Users take turns, and each has one piece of work in progress, so that the memory of large requests, besides
 * their bodies, does not grow with their number.
 * Without options work never pauses: in a rehearsal no other client waits for the thread.
 */
export class Turns {
  private readonly options: TurnsOptions | undefined
  private readonly turnMs: number
  /** Queued work by user, in the order in which users are served. */
  private readonly queues = new Map<string, Array<Task>>()
  private turnPlanned = false
  /** When the current slice started. */
  private startMs = 0
  /** When the current slice ends; undefined while no work runs. */
  private endMs: number | undefined
  /** The user of the current slice. */
  private user: string | undefined
  private turnCount = 0

  constructor(options?: TurnsOptions) {
    this.options = options
    this.turnMs = options?.turnMs ?? TURN_MS
  }

  /**
   * The number of slices given to queued work. If a request sees another number than at its start, other requests may
   * have run in between, so what it has read may be outdated.
   */
  get count(): number {
    return this.turnCount
  }

  /** Whether the current work must pause: checked before a yield, so that short work never yields. */
  get isOver(): boolean {
    return this.endMs !== undefined && this.options !== undefined && this.options.now() >= this.endMs
  }

  /**
   * Runs the work up to its end or its first pause. An error before the first pause is thrown here; a later one is passed
   * to `onError`. Work started by other work belongs to the same slice.
   */
  run(user: string, steps: Steps<void>, onError: (error: unknown) => void): void {
    const { options } = this
    if (options === undefined) {
      this.runToEnd(steps, onError)
      return
    }
    if (this.endMs !== undefined) {
      // Mostly work of the same request, which then comes first: work in progress ends before more work of the same
      // user starts.
      const position = user === this.user ? "first" : "last"
      if (options.now() >= this.endMs) this.enqueue(user, { steps, onError }, position)
      else this.advance(user, { steps, onError }, options, position)
      return
    }
    this.begin(user, options)
    try {
      this.advance(user, { steps, onError }, options, "last")
    } finally {
      this.end()
    }
  }

  /** Runs steps without pauses; those that wait continue when they may. */
  private runToEnd(steps: Steps<void>, onError: (error: unknown) => void): void {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return
      if (step.value === undefined) continue
      step.value.start(() => {
        this.turnCount++
        try {
          this.runToEnd(steps, onError)
        } catch (error) {
          onError(error)
        }
      })
      return
    }
  }

  private begin(user: string, { now }: TurnsOptions): void {
    this.user = user
    this.startMs = now()
    this.endMs = this.startMs + this.turnMs
  }

  private end(): void {
    this.endMs = undefined
    this.user = undefined
    if (this.queues.size > 0) this.planTurn(this.restMs())
  }

  /** Returns how long input and output get before the next slice, in milliseconds. */
  private restMs(): number {
    const elapsedMs = this.options === undefined ? 0 : this.options.now() - this.startMs
    return elapsedMs <= 2 * this.turnMs ? 0 : Math.min(elapsedMs * REST_SHARE, MAX_REST_MS)
  }

  /** Does the same as `run` for work that is known to take long: it starts after the queued work of the same user. */
  runAfter(user: string, steps: Steps<void>, onError: (error: unknown) => void): void {
    if (this.queues.has(user) || this.user === user) this.enqueue(user, { steps, onError }, "last")
    else this.run(user, steps, onError)
  }

  /**
   * Does the same as `run` for work that continues a long request: it starts in a later slice, before the queued work of
   * the same user.
   */
  runNext(user: string, steps: Steps<void>, onError: (error: unknown) => void): void {
    if (this.options === undefined) this.run(user, steps, onError)
    else this.enqueue(user, { steps, onError }, "first")
  }

  /** Queues work before or after the queued work of the same user. */
  private enqueue(user: string, task: Task, position: "first" | "last"): void {
    const tasks = this.queues.get(user)
    if (tasks === undefined) this.queues.set(user, [task])
    else if (position === "first") tasks.unshift(task)
    else tasks.push(task)
    // The current work schedules the next slice when it ends.
    if (this.endMs === undefined) this.planTurn(0)
  }

  private planTurn(restMs: number): void {
    if (this.turnPlanned) return
    this.turnPlanned = true
    this.options?.nextTurn(this.runTurn, restMs)
  }

  /** Runs one slice of queued work, of the next user. */
  private readonly runTurn = (): void => {
    const { options } = this
    this.turnPlanned = false
    const next = this.queues.entries().next().value
    if (options === undefined || next === undefined) return
    const [user, tasks] = next
    const task = tasks.shift() as Task
    // The user is served again after all others.
    this.queues.delete(user)
    if (tasks.length > 0) this.queues.set(user, tasks)
    this.turnCount++
    this.begin(user, options)
    try {
      this.advance(user, task, options, "first")
    } catch (error) {
      task.onError(error)
    } finally {
      this.end()
    }
  }

  /**
   * Runs steps until they are done, until the slice ends at a yield, or until they wait. What has paused is queued at this
   * position; what waits is queued when it may go on.
   */
  private advance(user: string, task: Task, { now }: TurnsOptions, position: "first" | "last"): void {
    for (;;) {
      const step = task.steps.next()
      if (step.done === true) return
      if (step.value !== undefined) {
        step.value.start(() => this.enqueue(user, task, "first"))
        return
      }
      if (this.endMs !== undefined && now() >= this.endMs) {
        this.enqueue(user, task, position)
        return
      }
    }
  }
}
