import { formatTime } from "@rollcall/api"
import type { StreamClient } from "@rollcall/streams/kubelet"
import type { LogMemory } from "./LogMemory.ts"
import type { LogOptions } from "./logOptions.ts"

/** Returns a time with nanoseconds of a fixed width. Upstream: cri-client/pkg/logs, timeFormatOut. */
const stamp = (atMs: number): string => {
  const nanos = String(Math.floor((atMs % 1000) * 1_000_000)).padStart(9, "0")
  return `${formatTime(Math.floor(atMs / 1000) * 1000).replace("Z", "")}.${nanos}Z`
}

/** Returns the characters that so many bytes of UTF-8 begin with. One that is cut counts and is left out. */
const firstBytes = (text: string, limit: number): { readonly bytes: number; readonly shown: string } => {
  let bytes = 0
  let at = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const next = bytes + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
    if (next > limit) return { bytes: limit, shown: text.slice(0, at) }
    bytes = next
    at += char.length
  }
  return { bytes, shown: text }
}

/** What of a log is kept: upstream rotates a file of this size. Upstream: KubeletConfiguration containerLogMaxSize. */
const MAX_KEPT = 10 * 1024 * 1024
/** What a line that waits takes besides its characters. */
const LINE_BYTES = 160

interface Line {
  readonly atMs: number
  readonly text: string
}

/** Writes the lines of a log as they were asked for. Upstream: cri-client/pkg/logs/logs.go, ReadLogs. */
export class LogWriter {
  private readonly options: LogOptions
  private readonly client: StreamClient
  private readonly memory: Pick<LogMemory, "share">
  /** The lines that are not sent yet: those before the log was asked for, and what a slow client has not read. */
  private past: Array<Line> = []
  /** Whether lines are sent as they are written. */
  private isCaughtUp = false
  private kept = 0
  private dropped = 0
  private partial = ""
  private sent = 0

  constructor(options: LogOptions, client: StreamClient, memory: Pick<LogMemory, "share">) {
    this.options = options
    this.client = client
    this.memory = memory
  }

  /** Whether all that was asked for has been written. */
  get isComplete(): boolean {
    return this.sent >= (this.options.limitBytes ?? Number.POSITIVE_INFINITY)
  }

  write(atMs: number, text: string): void {
    const lines = (this.partial + text).split("\n")
    this.partial = lines.pop() ?? ""
    for (const line of lines) this.line({ atMs, text: `${line}\n` })
  }

  /** Sends what was written before, as far as the client reads it; lines are sent at once from then on. */
  catchUp(): void {
    if (this.isCaughtUp) return
    this.isCaughtUp = true
    const lines = this.past.slice(this.dropped)
    const { tailLines = lines.length } = this.options
    this.past = tailLines === 0 ? [] : lines.slice(-tailLines)
    this.dropped = 0
    this.kept = this.past.reduce((sum, { text }) => sum + text.length, 0)
    this.flush()
  }

  /** Sends what waits, as far as the client reads it; returns whether nothing waits any more. */
  flush(): boolean {
    while (this.dropped < this.past.length && !this.client.isFull()) {
      const line = this.past[this.dropped++]
      if (line === undefined) break
      this.kept -= line.text.length
      this.send(line)
    }
    if (this.dropped < this.past.length) return false
    this.past = []
    this.dropped = 0
    this.kept = 0
    return true
  }

  /** Ends the log of a container that has ended: its last line may have no line feed. */
  close(atMs: number): void {
    if (this.partial !== "") this.line({ atMs, text: this.partial })
    this.partial = ""
    this.catchUp()
  }

  private get heldBytes(): number {
    return this.kept + (this.past.length - this.dropped) * LINE_BYTES
  }

  private line(line: Line): void {
    if (this.isCaughtUp && this.flush()) {
      this.send(line)
      return
    }
    this.past.push(line)
    this.kept += line.text.length
    while (this.kept > MAX_KEPT || this.heldBytes > this.memory.share)
      this.kept -= this.past[this.dropped++]?.text.length ?? 0
    if (this.dropped * 2 <= this.past.length) return
    this.past = this.past.slice(this.dropped)
    this.dropped = 0
  }

  private send({ atMs, text }: Line): void {
    const { limitBytes = Number.POSITIVE_INFINITY, sinceMs = 0, timestamps } = this.options
    if (atMs < sinceMs || this.isComplete) return
    const whole = timestamps ? `${stamp(atMs)} ${text}` : text
    const left = limitBytes - this.sent
    if (left === Number.POSITIVE_INFINITY) {
      this.client.write(1, whole)
      return
    }
    const { bytes, shown } = firstBytes(whole, left)
    this.sent += bytes
    this.client.write(1, shown)
  }
}
