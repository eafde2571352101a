import { type ContainerStatus, parseTime } from "@rollcall/api"
import type { KubeletStream, StreamClient } from "@rollcall/streams/kubelet"
import type { Timer } from "@rollcall/time"
import { type ContainerRun, prepareRun, type ServedPod, type StreamSource } from "./containerRun.ts"
import { logMemoryOf } from "./LogMemory.ts"
import { LogWriter } from "./LogWriter.ts"
import type { LogOptions } from "./logOptions.ts"
import { RunDriver } from "./RunDriver.ts"

/** How often a log that is followed looks whether its container still runs. Upstream: logForceCheckPeriod. */
const CHECK_MS = 1_000
/** How often a log looks whether its client reads on. */
const DRAIN_MS = 50
/** Times of statuses are whole seconds. */
const ROUNDING_MS = 999

/** One run of a container: the present one, or one that has ended. */
interface LoggedRun {
  readonly startMs: number
  readonly endMs: number | undefined
}

const loggedRunOf = ({ lastState, state }: ContainerStatus, isPrevious: boolean): LoggedRun | undefined => {
  const { running } = state ?? {}
  if (!isPrevious && running?.startedAt !== undefined)
    return { startMs: parseTime(running.startedAt), endMs: undefined }
  const ended = (isPrevious ? undefined : state?.terminated) ?? lastState?.terminated
  if (ended?.startedAt === undefined) return undefined
  return { startMs: parseTime(ended.startedAt), endMs: parseTime(ended.finishedAt ?? ended.startedAt) + ROUNDING_MS }
}

export const statusNamed = ({ status }: ServedPod, name: string): ContainerStatus | undefined => {
  const { containerStatuses = [], ephemeralContainerStatuses = [], initContainerStatuses = [] } = status
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name
  )
}

/** What stands in a log from where the command depends on something that is not modelled. */
const UNKNOWN = "rollcall: this container is modelled, and what its program writes from here on is not known\n"

/** Sends the log of one container to one client. */
class LogSession {
  private readonly source: StreamSource
  private readonly options: LogOptions
  private readonly client: StreamClient
  private readonly logged: LoggedRun
  private readonly isSameRun: () => boolean
  private readonly writer: LogWriter
  private driver: RunDriver | undefined
  private clock: ContainerRun["clock"] = { elapsedMs: 0 }
  private check: Timer | undefined
  private cancel: (() => void) | undefined
  private drain: Timer | undefined
  private readonly release: () => void
  private isOver = false

  constructor(
    source: StreamSource,
    options: LogOptions,
    client: StreamClient,
    logged: LoggedRun,
    isSameRun: () => boolean
  ) {
    this.source = source
    this.options = options
    this.client = client
    this.logged = logged
    this.isSameRun = isSameRun
    const memory = logMemoryOf(source.timers)
    this.release = memory.hold()
    this.writer = new LogWriter(options, client, memory)
  }

  /** The time of the run, by the clock of the machine. */
  private get runMs(): number {
    return this.logged.startMs + this.clock.elapsedMs
  }

  begin(served: ServedPod, container: string): void {
    const startMs = this.logged.startMs - this.source.clockSkewMs
    const request = { command: undefined, isPlayed: true, isAttended: false, startMs, hasTerminal: false }
    if (this.options.follow && this.logged.endMs === undefined) this.checkLater()
    this.cancel = prepareRun(this.source, served, container, request, ({ clock, run }) => {
      if (this.isOver) return
      this.clock = clock
      this.driver = new RunDriver(this.source.timers, run, clock, startMs, {
        isFull: () => this.client.isFull(),
        output: (_, text) => this.output(text),
        waits: (dueMs) => this.waits(dueMs),
        ended: (status) => this.ended(status)
      })
      this.driver.start()
    })
  }

  close(): void {
    this.end()
    if (this.drain !== undefined) this.source.timers.cancel(this.drain)
    this.release()
  }

  private end(): void {
    this.isOver = true
    this.cancel?.()
    this.driver?.stop()
    if (this.check !== undefined) this.source.timers.cancel(this.check)
  }

  /** Sends what waits, as the client reads it, and calls `done` at the end. */
  private drained(done: () => void): void {
    this.drain = undefined
    if (this.writer.flush()) {
      this.release()
      done()
    } else this.drain = this.source.timers.after(DRAIN_MS, () => this.drained(done))
  }

  private output(text: string): void {
    const { endMs = Number.POSITIVE_INFINITY } = this.logged
    if (this.runMs <= endMs) this.writer.write(this.runMs, text)
    if (this.runMs > endMs || this.writer.isComplete) this.finish()
  }

  private waits(dueMs: number): boolean {
    if (!this.options.follow || this.logged.endMs !== undefined) {
      this.finish()
      return false
    }
    this.writer.catchUp()
    if (this.drain === undefined) this.drained(() => {})
    return dueMs > 0
  }

  private ended(status: number | undefined): void {
    if (status === undefined) this.output(UNKNOWN)
    // The container may run on, or has not been seen to end.
    if (!this.isOver && this.waits(Number.POSITIVE_INFINITY) && status !== undefined) this.finish()
  }

  private checkLater(): void {
    this.check = this.source.timers.after(CHECK_MS, () => {
      if (this.source.isRunning() && this.isSameRun()) this.checkLater()
      else this.finish()
    })
  }

  private finish(): void {
    if (this.isOver) return
    this.end()
    this.writer.close(this.runMs)
    if (this.drain !== undefined) this.source.timers.cancel(this.drain)
    this.drained(() => this.client.end())
  }
}

/** Returns the log of a container that has one: what its modelled command has written, and writes. */
export const logStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  options: LogOptions
): KubeletStream => ({
  open: (client) => {
    const { name = "", namespace = "", uid } = served.pod.metadata
    const status = statusNamed(served, container)
    const logged = status === undefined ? undefined : loggedRunOf(status, options.previous)
    if (status === undefined || logged === undefined) {
      client.end()
      return { write: () => {}, end: () => {}, close: () => {} }
    }
    const isSameRun = (): boolean => {
      const now = source.podNamed(namespace, name)
      if (now === undefined || now.pod.metadata.uid !== uid) return false
      const { containerID, state } = statusNamed(now, container) ?? {}
      return state?.running !== undefined && containerID === status.containerID
    }
    const session = new LogSession(source, options, client, logged, isSameRun)
    session.begin(served, container)
    return { write: () => {}, end: () => {}, close: () => session.close() }
  }
})
