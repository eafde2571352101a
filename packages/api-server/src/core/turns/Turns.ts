import type { Steps } from "./Steps.ts"

export interface TurnsOptions {
  /** Runs a callback after the event loop has processed input and output for this many milliseconds: 0 is once. */
  readonly nextTurn: (callback: () => void, restMs: number) => void
  /** Returns milliseconds. */
  readonly now: () => number
  /** How long work may run before the event loop processes input and output. */
  readonly turnMs?: number
}

/** Work that has been started or is queued. */
interface Task {
  readonly steps: Steps<void>
  readonly failed: (error: unknown) => void
}

/** As long as the time slices of requests: see `Dispatcher`. */
const TURN_MS = 5
/**
 * After work that ran for longer than a slice, the thread is left to input and output for this fraction of that time: a
 * waiting client may send several requests, and a new connection takes several round trips.
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
  private readonly waiting = new Map<string, Array<Task>>()
  private planned = false
  /** When the current work started; it must pause after a slice. */
  private beganMs = 0
  private endMs: number | undefined
  private user: string | undefined
  private turns = 0

  constructor(options?: TurnsOptions) {
    this.options = options
    this.turnMs = options?.turnMs ?? TURN_MS
  }

  /**
   * The number of slices given to queued work. When this number has changed, the caller was paused or runs after queued
   * work.
   */
  get count(): number {
    return this.turns
  }

  /** Whether the current work must pause: checked before a yield, so that short work never yields. */
  get isOver(): boolean {
    return this.endMs !== undefined && this.options !== undefined && this.options.now() >= this.endMs
  }

  /**
   * Runs the work, or starts it. An error before its first pause is thrown here; a later one is passed to `failed`.
   * Work started by other work belongs to the same slice.
   */
  run(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    const { options } = this
    if (options === undefined) {
      while (steps.next().done !== true);
      return
    }
    if (this.endMs !== undefined) {
      // Mostly work of the same request: work in progress ends before more work of the same user starts.
      if (options.now() >= this.endMs) this.wait(user, { steps, failed }, user === this.user)
      else if (!this.advance(steps, options)) this.wait(user, { steps, failed }, user === this.user)
      return
    }
    this.begin(user, options)
    try {
      if (!this.advance(steps, options)) this.wait(user, { steps, failed }, false)
    } finally {
      this.end()
    }
  }

  private begin(user: string, { now }: TurnsOptions): void {
    this.user = user
    this.beganMs = now()
    this.endMs = this.beganMs + this.turnMs
  }

  private end(): void {
    this.endMs = undefined
    this.user = undefined
    if (this.waiting.size > 0) this.plan(this.restMs())
  }

  private restMs(): number {
    const spentMs = this.options === undefined ? 0 : this.options.now() - this.beganMs
    return spentMs <= 2 * this.turnMs ? 0 : Math.min(spentMs * REST_SHARE, MAX_REST_MS)
  }

  /** As `run`, for work that is known to take long: it starts after the queued work of the same user. */
  runAfter(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    if (this.waiting.has(user) || this.user === user) this.wait(user, { steps, failed }, false)
    else this.run(user, steps, failed)
  }

  /** As `run`, for work that completes a long request: in a later slice, before the queued work of the same user. */
  runNext(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    if (this.options === undefined) this.run(user, steps, failed)
    else this.wait(user, { steps, failed }, true)
  }

  private wait(user: string, task: Task, first: boolean): void {
    const tasks = this.waiting.get(user)
    if (tasks === undefined) this.waiting.set(user, [task])
    else if (first) tasks.unshift(task)
    else tasks.push(task)
    // The current work schedules the next slice when it ends.
    if (this.endMs === undefined) this.plan(0)
  }

  private plan(restMs: number): void {
    if (this.planned) return
    this.planned = true
    this.options?.nextTurn(this.turn, restMs)
  }

  /** Runs one slice of queued work, of the next user. */
  private readonly turn = (): void => {
    const { options } = this
    this.planned = false
    const next = this.waiting.entries().next().value
    if (options === undefined || next === undefined) return
    const [user, tasks] = next
    const task = tasks.shift() as Task
    // The user is served again after all others.
    this.waiting.delete(user)
    if (tasks.length > 0) this.waiting.set(user, tasks)
    this.turns++
    this.begin(user, options)
    try {
      if (!this.advance(task.steps, options)) this.wait(user, task, true)
    } catch (error) {
      task.failed(error)
    } finally {
      this.end()
    }
  }

  /** Runs steps until they are done (true) or the slice ends at a yield (false). */
  private advance(steps: Steps<void>, { now }: TurnsOptions): boolean {
    while (steps.next().done !== true) {
      if (this.endMs !== undefined && now() >= this.endMs) return false
    }
    return true
  }
}
