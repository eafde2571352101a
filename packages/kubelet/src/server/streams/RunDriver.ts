import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { Run, RunClock } from "../../runtime/command/ShellWorld.ts"
import { type RunTurns, runTurnsOf } from "./RunTurns.ts"

/** What becomes of a run. */
export interface RunHandlers {
  readonly output: (stream: 1 | 2, text: string) => void
  /** Receives what is written to the output of the first process of the container; absent if the run is that process. */
  readonly log?: (stream: 1 | 2, text: string) => void
  /** Called when nothing happens before `dueMs`, which is later than now. Returns whether the run is followed further. */
  readonly waits: (dueMs: number) => boolean
  /** Whether output is to wait. */
  readonly isFull: () => boolean
  /** Called when the run comes to read its input. */
  readonly reads?: () => void
  /** The run is over; the status is undefined if it depends on something that is not modelled. */
  readonly ended: (status: number | undefined) => void
}

/** The most steps of a run in one turn. */
const STEPS_PER_TURN = 500
/** How soon a reader that was full is looked at again. */
const FULL_MS = 100
/** The steps that are made up for before now. */
const MAX_STEPS = 1_000_000
/** The input that waits to be read. */
const MAX_INPUT = 64 * 1024

/** Carries a run of a command out in time: what was due before now at once, the rest when it is due. */
export class RunDriver {
  private readonly timers: TimersShape
  private readonly turns: RunTurns
  private readonly run: Run<number | undefined>
  private readonly clock: RunClock
  private readonly startMs: number
  private readonly handlers: RunHandlers
  private timer: Timer | undefined
  /** What is done next, and when: later if the driver is paused. */
  private due: { readonly atMs: number; readonly input: string | undefined } | undefined
  private isPaused = false
  private taken = 0
  private isOver = false
  private lines: Array<string> = []
  private inputBytes = 0
  private hasInput = true
  private isReading = false
  private isWaiting = false

  constructor(
    timers: TimersShape,
    run: Run<number | undefined>,
    clock: RunClock,
    startMs: number,
    handlers: RunHandlers
  ) {
    this.timers = timers
    this.turns = runTurnsOf(timers)
    this.run = run
    this.clock = clock
    this.startMs = startMs
    this.handlers = handlers
  }

  start(): void {
    this.advance(undefined)
  }

  stop(): void {
    this.isOver = true
    this.due = undefined
    this.cancelTimer()
  }

  /** Does nothing from now on, until `resume`. */
  pause(): void {
    this.isPaused = true
    this.cancelTimer()
  }

  /** Goes on; what has been due since is carried out at once. */
  resume(): void {
    this.isPaused = false
    const { due } = this
    if (due === undefined) return
    if (due.atMs <= this.timers.now()) this.next()
    else if (this.timer === undefined) this.plan(due.atMs)
  }

  /** Adds a line to the input; the last one may have no line feed. */
  line(text: string): void {
    if (this.isReading) {
      this.read(text)
      return
    }
    this.inputBytes += text.length
    if (this.inputBytes <= MAX_INPUT) this.lines.push(text)
  }

  endInput(): void {
    this.hasInput = false
    if (this.isReading) this.read(undefined)
  }

  /** Interrupts the command that takes its time, or ends what reads the input. */
  interrupt(): void {
    this.clock.isInterrupted = true
    this.lines = []
    if (this.isReading) {
      this.clock.isInterrupted = false
      this.read("\n")
    } else if (this.isWaiting) {
      this.cancelTimer()
      this.due = undefined
      this.isWaiting = false
      this.advance(undefined)
    }
  }

  /** A command that reads takes the time until there is something to read. */
  private passTime(): void {
    this.clock.elapsedMs = Math.max(this.clock.elapsedMs, this.timers.now() - this.startMs)
  }

  private read(text: string | undefined): void {
    this.isReading = false
    this.passTime()
    this.advance(text)
  }

  private later(ms: number, input: string | undefined): void {
    if (this.isOver) return
    const atMs = this.timers.now() + ms
    this.due = { atMs, input }
    if (!this.isPaused) this.plan(atMs)
  }

  private plan(atMs: number): void {
    this.timer = this.timers.at(atMs, this.next)
  }

  /** Goes on in another turn. */
  private inNextTurn(input: string | undefined): void {
    if (this.isOver) return
    this.due = { atMs: this.timers.now(), input }
    if (!this.isPaused) this.turns.later(this.next)
  }

  private readonly next = (): void => {
    const input = this.due?.input
    this.cancelTimer()
    this.due = undefined
    this.isWaiting = false
    this.advance(input)
  }

  private cancelTimer(): void {
    this.turns.cancel(this.next)
    if (this.timer !== undefined) this.timers.cancel(this.timer)
    this.timer = undefined
  }

  /** A run that throws ends, like one that is not modelled. */
  private advance(given: string | undefined): void {
    const carryOut = () => {
      if (guarded(this.timers, "modelled command", () => this.steps(given))) return
      if (!this.isOver) this.end(undefined)
    }
    if (!this.turns.take(carryOut)) this.inNextTurn(given)
  }

  private steps(given: string | undefined): void {
    let input = given
    for (let count = 0; !this.isOver; count++) {
      if (this.handlers.isFull()) {
        this.later(FULL_MS, input)
        return
      }
      if (count >= STEPS_PER_TURN || (count > 0 && this.turns.isOver)) {
        this.inNextTurn(input)
        return
      }
      const step = ++this.taken > MAX_STEPS ? { done: true as const, value: undefined } : this.run.next(input)
      input = undefined
      if (step.done === true) {
        this.end(step.value)
        return
      }
      const { value } = step
      if (value.kind === "output") this.handlers.output(value.stream, value.text ?? "")
      else if (value.kind === "log") (this.handlers.log ?? this.handlers.output)(value.stream, value.text)
      else if (value.kind === "wait") {
        if (this.waitsFor(value.ms)) return
      } else if (value.kind === "read") {
        this.handlers.reads?.()
        const line = this.nextLine()
        if (line === WAITS) return
        input = line
        if (line !== undefined) this.passTime()
      }
    }
  }

  /** Returns whether the run waits, or is not followed further. */
  private waitsFor(ms: number): boolean {
    const dueMs = this.startMs + this.clock.elapsedMs + ms
    const now = this.timers.now()
    if (dueMs <= now) return false
    this.taken = 0
    if (!this.handlers.waits(dueMs)) this.isOver = true
    else if (dueMs === Number.POSITIVE_INFINITY) this.isWaiting = true
    else {
      this.isWaiting = true
      this.later(dueMs - now, undefined)
    }
    return true
  }

  private nextLine(): string | undefined | typeof WAITS {
    const line = this.lines.shift()
    if (line !== undefined) {
      this.inputBytes -= line.length
      return line
    }
    if (!this.hasInput) return undefined
    this.isReading = this.handlers.waits(Number.POSITIVE_INFINITY)
    this.isOver ||= !this.isReading
    return WAITS
  }

  private end(status: number | undefined): void {
    this.isOver = true
    this.handlers.ended(status)
  }
}

const WAITS = Symbol("waits for input")
