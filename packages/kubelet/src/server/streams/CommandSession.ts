import type { StreamClient, StreamInput } from "@rollcall/streams/kubelet"
import type { Timer } from "@rollcall/time"
import { notModelled } from "../../runtime/command/notModelled.ts"
import { prepareRun, type RunRequest, type ServedPod, type StreamSource } from "./containerRun.ts"
import { changesOf } from "./probesInFiles.ts"
import { RunDriver } from "./RunDriver.ts"
import { PipeInput, TerminalInput } from "./TerminalInput.ts"

/** What a client asks of a stream of a command. Upstream: core/v1 PodExecOptions. */
export interface CommandOptions {
  readonly command: ReadonlyArray<string>
  readonly stdin: boolean
  readonly tty: boolean
}

/** What a session is for. */
export interface SessionHandlers {
  /** Whether its container still runs. */
  readonly isRunning: () => boolean
  readonly exited?: (status: number) => void
  /** Receives what is written, as the client gets it, and whether the command has come to read its input by then. */
  readonly wrote?: (text: string, hasRead: boolean) => void
  /** Receives what is written to the output of the container's own command. Absent for that command. */
  readonly log?: (text: string) => void
  /** Whether the client joins a command that has started already. */
  readonly joins?: boolean
  /** What becomes of a command that goes on without its client. Absent if it ends with it. */
  readonly alone?: {
    /** Whether its input ends when its client ends it, or leaves. If not, a client that ends its input leaves. */
    readonly endsInput: boolean
    /** Receives what stops it. Returns what is called when it is over. */
    readonly left: (stop: () => void) => () => void
  }
}

/** How often a session looks whether its container still runs. */
const CHECK_MS = 1_000
/** The exit status of a command whose container is killed. */
const KILLED = 137
const NOT_FOUND = 127

/** One command with a client that writes to it and reads from it. */
export class CommandSession implements StreamInput {
  private readonly source: StreamSource
  private readonly client: StreamClient
  private readonly input: TerminalInput | PipeInput
  private readonly handlers: SessionHandlers
  private readonly words: string
  private readonly isTerminal: boolean
  private driver: RunDriver | undefined
  private before: Array<() => void> = []
  private check: Timer | undefined
  private cancel: (() => void) | undefined
  private isOver = false
  private isAlone = false
  private over: (() => void) | undefined
  /** Whether it waits for ever, or for input. */
  private isIdle = false
  private hasRead = false

  constructor(source: StreamSource, client: StreamClient, { command, tty }: CommandOptions, given: SessionHandlers) {
    this.source = source
    this.client = client
    this.handlers = given
    this.words = command.join(" ")
    this.isTerminal = tty
    const handlers = {
      line: (text: string) => {
        this.isIdle = false
        this.ask((driver) => driver.line(text))
      },
      end: () => this.ask((driver) => driver.endInput()),
      interrupt: () => this.ask((driver) => driver.interrupt()),
      echo: (text: string) => this.output(1, text)
    }
    this.input = tty ? new TerminalInput(handlers) : new PipeInput(handlers)
  }

  begin(served: ServedPod, container: string, request: RunRequest, hasInput: boolean): void {
    const { log } = this.handlers
    this.checkLater()
    this.cancel = prepareRun(this.source, served, container, request, ({ clock, files, run }) => {
      if (this.isOver) return
      const changed = changesOf(this.source, served.pod, files)
      const driver = new RunDriver(this.source.timers, run, clock, request.startMs, {
        isFull: () => !this.isAlone && this.client.isFull(),
        reads: () => {
          this.hasRead = true
        },
        output: (stream, text) => this.output(stream, text),
        ...(log === undefined ? {} : { log: (_, text) => log(text) }),
        waits: (dueMs) => {
          changed()
          this.isIdle = dueMs === Number.POSITIVE_INFINITY
          // A command that waits for another client does so in its log too.
          if (this.isAlone && this.isIdle) this.stop()
          return !this.isOver
        },
        ended: (status) => {
          changed()
          this.ended(status)
        }
      })
      this.driver = driver
      if (!hasInput) driver.endInput()
      driver.start()
      for (const act of this.before) act()
      this.before = []
    })
  }

  write(text: string): void {
    if (!this.isOver) this.input.write(text)
  }

  end(): void {
    if (this.isOver || this.isAlone) return
    if (this.handlers.alone?.endsInput === false) {
      if (this.input instanceof PipeInput) this.input.flush()
      this.client.end(0)
      this.close()
    } else if (this.input instanceof PipeInput) this.input.end()
    else this.ask((driver) => driver.endInput())
  }

  close(): void {
    const { alone } = this.handlers
    if (this.isAlone) return
    if (this.isOver || alone === undefined) {
      this.stop()
      return
    }
    this.isAlone = true
    if (alone.endsInput) this.ask((driver) => driver.endInput())
    else if (this.isIdle) this.stop()
    if (!this.isOver) this.over = alone.left(() => this.stop())
  }

  private stop(): void {
    this.isOver = true
    this.over?.()
    this.cancel?.()
    this.driver?.stop()
    if (this.check !== undefined) this.source.timers.cancel(this.check)
  }

  private ask(act: (driver: RunDriver) => void): void {
    const { driver } = this
    if (driver !== undefined) act(driver)
    else if (this.before.length < MAX_BEFORE) this.before.push(() => this.driver !== undefined && act(this.driver))
  }

  private output(stream: 1 | 2, text: string): void {
    const shown = this.isTerminal ? text.replaceAll("\n", "\r\n") : text
    this.handlers.wrote?.(shown, this.hasRead)
    // A client that joins sees nothing of what came before the first read.
    if (this.isAlone || (this.handlers.joins === true && !this.hasRead)) return
    this.client.write(this.isTerminal ? 1 : stream, shown)
  }

  private ended(status: number | undefined): void {
    if (status === undefined) this.output(2, notModelled(this.words))
    this.finish(status ?? NOT_FOUND)
  }

  private finish(status: number): void {
    if (this.isOver) return
    this.stop()
    if (!this.isAlone) this.client.end(status)
    this.handlers.exited?.(status)
  }

  private checkLater(): void {
    this.check = this.source.timers.after(CHECK_MS, () => {
      if (this.source.isRunning() && this.handlers.isRunning()) this.checkLater()
      else this.finish(KILLED)
    })
  }
}

/** The acts of a client that wait for the start of its command. */
const MAX_BEFORE = 100
