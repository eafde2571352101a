import type { StreamClient } from "@rollcall/streams/kubelet"
import type { Timer } from "@rollcall/time"
import { anyContainer, type ContainerRun, prepareRun, type ServedPod, type StreamSource } from "./containerRun.ts"
import { additionsKey, type LogAdditions, logAdditionsOf } from "./LogAdditions.ts"
import { type LogLine, LogLines } from "./LogLines.ts"
import { type LogMemory, logMemoryOf, type MemoryHolder } from "./LogMemory.ts"
import { LogReader } from "./LogReader.ts"
import type { LogOptions } from "./logOptions.ts"
import { ReaderTurns } from "./ReaderTurns.ts"
import { RunDriver } from "./RunDriver.ts"

/** How often a log that is followed looks whether its container still runs. Upstream: logForceCheckPeriod. */
const CHECK_MS = 1_000
/** How long a log without a reader is kept: others ask again soon, and do not have to compute it anew. */
const IDLE_MS = 10_000

/** What is written at once before readers are served: they may get all of it. */
const MAX_UNSENT = 64 * 1024

/** What stands in a log from where the command depends on something that is not modelled. */
const UNKNOWN = "rollcall: this container is modelled, and what its program writes from here on is not known\n"

/** One run of a container: the present one, or one that has ended. */
export interface LoggedRun {
  readonly container: string
  /** Names it among the runs of its container. */
  readonly name: string
  readonly startMs: number
  readonly endMs: number | undefined
}

/**
 * The log of one run of a container. Its command is carried out once for all readers, as far as they read; the last lines are
 * kept.
 */
export class ContainerLog implements MemoryHolder {
  private readonly source: StreamSource
  private readonly skewMs: number
  private readonly logged: LoggedRun
  private readonly isSameRun: () => boolean
  private readonly forget: () => void
  private readonly memory: LogMemory
  private readonly lines: LogLines
  private readonly turns: ReaderTurns
  private readonly readers = new Set<LogReader>()
  /** The readers that wait until the log has been computed up to now. */
  private readonly joining = new Set<LogReader>()
  private clock: ContainerRun["clock"] = { elapsedMs: 0 }
  private cancelStart: (() => void) | undefined
  private driver: RunDriver | undefined
  private isTerminal = false
  private readonly additions: LogAdditions
  /** The run as the additions name it, and how many of them are in the log. */
  private additionsKey = ""
  private added = 0
  private stopListening: (() => void) | undefined
  /** Before when nothing is written. */
  private quietUntilMs = Number.NEGATIVE_INFINITY
  /** Whether nothing is added any more, also for those that follow. */
  private isFinal = false
  /** The characters that have been written since the readers were served. */
  private unsent = 0
  private check: Timer | undefined
  private idle: Timer | undefined

  constructor(source: StreamSource, logged: LoggedRun, isSameRun: () => boolean, forget: () => void) {
    this.source = source
    this.skewMs = source.clockSkewMs
    this.logged = logged
    this.isSameRun = isSameRun
    this.forget = forget
    this.memory = logMemoryOf(source.timers)
    this.additions = logAdditionsOf(source.timers)
    this.lines = new LogLines(this.memory, source.logRotation, source.startedMs)
    this.turns = new ReaderTurns(source.timers, (reader) => {
      this.remove(reader)
      reader.client.end()
    })
    this.memory.join(this)
  }

  get heldBytes(): number {
    return this.lines.heldBytes
  }

  dropHalf(): void {
    this.lines.dropHalf()
  }

  /** Begins to compute the log. */
  begin(served: ServedPod): void {
    const { container, name } = this.logged
    const { startMs } = this
    const { stdin, tty = false } = anyContainer(served.pod, container) ?? {}
    this.isTerminal = tty
    this.additionsKey = additionsKey(served.pod, name)
    this.stopListening = this.additions.listen(this.additionsKey, () => {
      if (this.source.timers.now() >= this.quietUntilMs) return
      this.add(this.nowMs)
      this.sendOn()
    })
    const request = { command: undefined, playedRun: name, isAttended: false, startMs, hasTerminal: tty }
    this.cancelStart = prepareRun(this.source, served, container, request, ({ clock, run }) => {
      this.clock = clock
      this.driver = new RunDriver(this.source.timers, run, clock, startMs, {
        isFull: () => false,
        output: (_, text) => this.output(text),
        waits: (dueMs) => this.waits(dueMs),
        ended: (status) => this.ended(status)
      })
      if (stdin !== true) this.driver.endInput()
      if (this.idle !== undefined) this.driver.pause()
      this.driver.start()
    })
  }

  /** Adds a reader, whose client is told when it has reached its end. Returns what removes it before. */
  read(options: LogOptions, client: StreamClient): () => void {
    const reader = new LogReader(options, client, this.lines)
    this.readers.add(reader)
    this.joining.add(reader)
    this.memory.setIdle(this, false)
    this.idle = this.cancelled(this.idle)
    if (options.follow && this.logged.endMs === undefined) this.checkLater()
    this.driver?.resume()
    if (this.isFinal || this.source.timers.now() < this.quietUntilMs) this.admit()
    return () => this.remove(reader)
  }

  release(): void {
    for (const timer of [this.idle, this.check]) this.cancelled(timer)
    this.turns.stop()
    this.cancelStart?.()
    this.stopListening?.()
    this.driver?.stop()
    this.memory.leave(this)
    this.forget()
  }

  /** When the run began, by the clock of the process. */
  private get startMs(): number {
    return this.logged.startMs - this.skewMs
  }

  /** What stands after the last line feed. */
  private get unfinished(): LogLine {
    return { atMs: this.logged.startMs + this.clock.elapsedMs, text: this.lines.unfinished }
  }

  private remove(reader: LogReader): void {
    if (!this.readers.delete(reader)) return
    this.joining.delete(reader)
    this.turns.remove(reader)
    if (this.readers.size > 0) return
    this.driver?.pause()
    this.check = this.cancelled(this.check)
    this.idle = this.source.timers.after(IDLE_MS, () => this.release())
    this.memory.setIdle(this, true)
  }

  /** Lets the readers in that have waited for what was written until now. */
  private admit(): void {
    const joining = [...this.joining]
    this.joining.clear()
    // The log of a container that does not run is not rotated.
    const nowMs = Math.min(this.nowMs, this.logged.endMs ?? Number.POSITIVE_INFINITY)
    for (const reader of joining) {
      reader.begin(nowMs, this.unfinished, this.isFinal || !reader.options.follow || this.logged.endMs !== undefined)
      this.turns.add(reader)
    }
  }

  private output(text: string): void {
    const { endMs = Number.POSITIVE_INFINITY, startMs } = this.logged
    const atMs = startMs + this.clock.elapsedMs
    if (atMs > endMs) {
      this.finish()
      return
    }
    this.write(atMs, this.isTerminal ? text.replaceAll("\n", "\r\n") : text)
    if (this.unsent > MAX_UNSENT) this.sendOn()
  }

  /** By the clock of the machine. */
  private get nowMs(): number {
    return this.source.timers.now() + this.skewMs
  }

  private write(atMs: number, text: string): void {
    this.add(atMs)
    this.lines.write(atMs, text)
    this.unsent += text.length
  }

  /** Adds what was written up to `untilMs` and cannot be computed: the command itself has written nothing between. */
  private add(untilMs: number): void {
    const { first, parts } = this.additions.from(this.additionsKey, this.added)
    this.added = first
    for (const { atMs, text } of parts) {
      if (atMs > untilMs) break
      this.added++
      this.lines.write(atMs, text)
      this.unsent += text.length
    }
  }

  private sendOn(): void {
    this.unsent = 0
    this.turns.more()
  }

  /** Nothing is written before `dueMs`. Returns whether something is written then. */
  private waits(dueMs: number): boolean {
    if (this.logged.endMs !== undefined) {
      this.finish()
      return false
    }
    this.quietUntilMs = dueMs
    this.add(this.nowMs)
    this.sendOn()
    this.admit()
    return true
  }

  private ended(status: number | undefined): void {
    if (status === undefined) this.output(UNKNOWN)
    if (this.isFinal) return
    // The container may run on, or has not been seen to end.
    if (status === undefined) this.waits(Number.POSITIVE_INFINITY)
    else this.finish()
  }

  private finish(): void {
    if (this.isFinal) return
    this.add(this.logged.endMs ?? this.nowMs)
    this.isFinal = true
    this.driver?.stop()
    this.check = this.cancelled(this.check)
    for (const reader of this.readers) if (!this.joining.has(reader)) reader.endHere(this.unfinished)
    this.sendOn()
    this.admit()
  }

  private checkLater(): void {
    this.check ??= this.source.timers.after(CHECK_MS, () => {
      this.check = undefined
      if (this.source.isRunning() && this.isSameRun()) {
        this.checkLater()
        return
      }
      // A kubelet that starts again may have more of it.
      this.forget()
      this.finish()
    })
  }

  private cancelled(timer: Timer | undefined): undefined {
    if (timer !== undefined) this.source.timers.cancel(timer)
  }
}
