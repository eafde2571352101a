import type { Steps } from "./Steps.ts"

export interface TurnsOptions {
  /** Runs a callback when input and output have been seen to for so many milliseconds: 0 is once. */
  readonly nextTurn: (callback: () => void, restMs: number) => void
  /** Milliseconds. */
  readonly now: () => number
  /** How long work may go on before input and output are seen to. */
  readonly turnMs?: number
}

/** Work that is under way, or yet to begin. */
interface Task {
  readonly steps: Steps<void>
  readonly failed: (error: unknown) => void
}

/** As long as the turns of requests: see `Dispatcher`. */
const TURN_MS = 5
/**
 * After a part that has lasted for longer than a turn, the thread rests for this share of it: who waited has more than one thing to ask,
 * and a new connection takes several round trips.
 */
const REST_SHARE = 0.2
const MAX_REST_MS = 25

/**
 * Divides the thread between requests that take long and all others. Work begins at once, and most of it ends within its turn. What
 * has lasted longer waits at its next yield; what waits is continued in later turns, one part a turn. Users take these in turn, and each
 * has one piece of work under way, so that what large requests hold beside their bodies does not grow with their number.
 *
 * Without options nothing is ever put off: in a rehearsal no other client waits for the thread.
 */
export class Turns {
  private readonly options: TurnsOptions | undefined
  private readonly turnMs: number
  /** By user, in the order in which they are served. */
  private readonly waiting = new Map<string, Array<Task>>()
  private planned = false
  /** When work began that is being done now, and has to pause. */
  private beganMs = 0
  private endMs: number | undefined
  private user: string | undefined
  private turns = 0

  constructor(options?: TurnsOptions) {
    this.options = options
    this.turnMs = options?.turnMs ?? TURN_MS
  }

  /** How many turns there have been of work that waited. Who finds another number than before was put off, or follows one who was. */
  get count(): number {
    return this.turns
  }

  /** Whether work that is done now has to pause: where it says so before a yield, short work never yields. */
  get isOver(): boolean {
    return this.endMs !== undefined && this.options !== undefined && this.options.now() >= this.endMs
  }

  /**
   * Does the work, or begins it. What it throws before its first pause is thrown here; later `failed` is told. What is begun by other
   * work belongs to the same turn.
   */
  run(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    const { options } = this
    if (options === undefined) {
      while (steps.next().done !== true);
      return
    }
    if (this.endMs !== undefined) {
      // Work of the same request, mostly: what was begun ends before more of the same user is.
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

  /** As `run`, of what is known to take long: not begun before what waits of the same user has ended. */
  runAfter(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    if (this.waiting.has(user) || this.user === user) this.wait(user, { steps, failed }, false)
    else this.run(user, steps, failed)
  }

  /** As `run`, of what ends a request that took long: in a later turn, before what waits of the same user. */
  runNext(user: string, steps: Steps<void>, failed: (error: unknown) => void): void {
    if (this.options === undefined) this.run(user, steps, failed)
    else this.wait(user, { steps, failed }, true)
  }

  private wait(user: string, task: Task, first: boolean): void {
    const tasks = this.waiting.get(user)
    if (tasks === undefined) this.waiting.set(user, [task])
    else if (first) tasks.unshift(task)
    else tasks.push(task)
    // Work that is being done now plans the next turn when it ends.
    if (this.endMs === undefined) this.plan(0)
  }

  private plan(restMs: number): void {
    if (this.planned) return
    this.planned = true
    this.options?.nextTurn(this.turn, restMs)
  }

  /** One part of what waits: of the next user, as far as a turn goes. */
  private readonly turn = (): void => {
    const { options } = this
    this.planned = false
    const next = this.waiting.entries().next().value
    if (options === undefined || next === undefined) return
    const [user, tasks] = next
    const task = tasks.shift() as Task
    // The user's turn comes again after those of all others.
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

  /** Whether the work is done; false: it stands at a yield, and its turn is over. */
  private advance(steps: Steps<void>, { now }: TurnsOptions): boolean {
    while (steps.next().done !== true) {
      if (this.endMs !== undefined && now() >= this.endMs) return false
    }
    return true
  }
}
