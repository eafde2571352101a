import type { KubeletStream, StreamClient, StreamInput } from "@rollcall/streams/kubelet"
import type { Timer } from "@rollcall/time"
import { commandRunOf } from "../../runtime/command/commandEnd.ts"
import { commandOf } from "../../runtime/command/environment.ts"
import { notModelled } from "../../runtime/command/notModelled.ts"
import { containerOf } from "../../runtime/modelledOutcomes.ts"
import { prepareRun, type RunRequest, type ServedPod, type StreamSource } from "./containerRun.ts"
import { logStream, statusNamed } from "./logStream.ts"
import { changesOf } from "./probesInFiles.ts"
import { RunDriver } from "./RunDriver.ts"
import { PipeInput, TerminalInput } from "./TerminalInput.ts"

/** What a client asks of a stream of a command. Upstream: core/v1 PodExecOptions. */
export interface CommandOptions {
  readonly command: ReadonlyArray<string>
  readonly stdin: boolean
  readonly tty: boolean
  /** Whether the client joins a command that has started already. */
  readonly joins?: boolean
}

/** How often a session looks whether its container still runs. */
const CHECK_MS = 1_000
/** The exit status of a command whose container is killed. */
const KILLED = 137
const NOT_FOUND = 127

/** One command with a client that writes to it and reads from it. */
class CommandSession implements StreamInput {
  private readonly source: StreamSource
  private readonly client: StreamClient
  private readonly input: TerminalInput | PipeInput
  private readonly isRunning: () => boolean
  private readonly onExit: (status: number) => void
  private readonly words: string
  private readonly isTerminal: boolean
  private driver: RunDriver | undefined
  private before: Array<() => void> = []
  private check: Timer | undefined
  private cancel: (() => void) | undefined
  private isOver = false
  /** Whether the client sees what is written: one that attaches sees nothing of what came before the first read. */
  private isShown: boolean

  constructor(
    source: StreamSource,
    client: StreamClient,
    { command, tty, joins = false }: CommandOptions,
    isRunning: () => boolean,
    onExit: (status: number) => void
  ) {
    this.source = source
    this.client = client
    this.isRunning = isRunning
    this.onExit = onExit
    this.words = command.join(" ")
    this.isTerminal = tty
    this.isShown = !joins
    const handlers = {
      line: (text: string) => this.ask((driver) => driver.line(text)),
      end: () => this.ask((driver) => driver.endInput()),
      interrupt: () => this.ask((driver) => driver.interrupt()),
      echo: (text: string) => this.output(1, text)
    }
    this.input = tty ? new TerminalInput(handlers) : new PipeInput(handlers)
  }

  begin(served: ServedPod, container: string, request: RunRequest, hasInput: boolean): void {
    this.checkLater()
    this.cancel = prepareRun(this.source, served, container, request, ({ clock, files, run }) => {
      if (this.isOver) return
      const changed = changesOf(this.source, served.pod, files)
      const driver = new RunDriver(this.source.timers, run, clock, request.startMs, {
        isFull: () => this.client.isFull(),
        reads: () => {
          this.isShown = true
        },
        output: (stream, text) => this.output(stream, text),
        waits: () => {
          changed()
          return true
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
    if (this.isOver) return
    if (this.input instanceof PipeInput) this.input.end()
    else this.ask((driver) => driver.endInput())
  }

  close(): void {
    this.isOver = true
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
    if (!this.isShown) return
    if (this.isTerminal) this.client.write(1, text.replaceAll("\n", "\r\n"))
    else this.client.write(stream, text)
  }

  private ended(status: number | undefined): void {
    if (status === undefined) this.output(2, notModelled(this.words))
    this.finish(status ?? NOT_FOUND)
  }

  private finish(status: number): void {
    if (this.isOver) return
    this.close()
    this.client.end(status)
    this.onExit(status)
  }

  private checkLater(): void {
    this.check = this.source.timers.after(CHECK_MS, () => {
      if (this.source.isRunning() && this.isRunning()) this.checkLater()
      else this.finish(KILLED)
    })
  }
}

/** The acts of a client that wait for the start of its command. */
const MAX_BEFORE = 100

const noInput: StreamInput = { write: () => {}, end: () => {}, close: () => {} }

const runsStill = (source: StreamSource, served: ServedPod, container: string) => {
  const { name = "", namespace = "", uid } = served.pod.metadata
  const { containerID } = statusNamed(served, container) ?? {}
  return (): boolean => {
    const now = source.podNamed(namespace, name)
    if (now === undefined || now.pod.metadata.uid !== uid) return false
    const status = statusNamed(now, container)
    return status?.state?.running !== undefined && status.containerID === containerID
  }
}

/** Returns the stream of a command in a running container. */
export const execStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  options: CommandOptions
): KubeletStream => ({
  open: (client) => {
    const session = new CommandSession(source, client, options, runsStill(source, served, container), () => {})
    const { command, stdin, tty } = options
    session.begin(
      served,
      container,
      { command, playedRun: undefined, isAttended: true, startMs: source.timers.now(), hasTerminal: tty },
      stdin
    )
    return session
  }
})

/**
 * Returns the command of a container whose input is open, if it reads that, as a shell does. Without words it is taken
 * for a shell.
 */
const readerOf = ({ pod }: ServedPod, container: string): ReadonlyArray<string> | undefined => {
  const spec = containerOf(pod, container)
  if (spec?.stdin !== true) return undefined
  const command = commandOf(spec)
  if (command.length === 0) return ["sh"]
  return commandRunOf(pod, spec).readsInput ? command : undefined
}

/**
 * Returns the stream of a container's own command. One that reads its open input is carried out anew for each client,
 * and its exit ends the container; of any other command, what it writes from now on is shown.
 */
export const attachStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  options: Omit<CommandOptions, "command">
): KubeletStream => ({
  open: (client) => {
    const command = readerOf(served, container)
    if (command === undefined || !options.stdin) {
      const shown = { follow: true, previous: false, timestamps: false, limitBytes: undefined, sinceMs: undefined }
      const ending: StreamClient = {
        ...client,
        write: (stream, text) => client.write(stream, options.tty ? text.replaceAll("\n", "\r\n") : text),
        end: () => client.end(0)
      }
      const { close } = logStream(source, served, container, { ...shown, tailLines: 0 }).open(ending)
      return { ...noInput, close }
    }
    const { uid = "" } = served.pod.metadata
    const isRunning = runsStill(source, served, container)
    // The exit code is that of the container, not of the stream.
    const attached: StreamClient = { ...client, end: () => client.end(0) }
    const session = new CommandSession(
      source,
      attached,
      { ...options, command, joins: !options.tty },
      isRunning,
      (status) => {
        if (isRunning()) source.exitContainer(uid, container, status)
      }
    )
    session.begin(
      served,
      container,
      {
        command: undefined,
        playedRun: undefined,
        isAttended: true,
        startMs: source.timers.now(),
        hasTerminal: options.tty
      },
      true
    )
    return session
  }
})
