import { formatTime } from "@rollcall/api"
import type { StreamClient } from "@rollcall/streams/kubelet"
import type { LogLine, LogLines } from "./LogLines.ts"
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

/** About what is written at once, before it is asked again whether the client reads. */
const PART_CHARACTERS = 16 * 1024

/** Where a reader is: at what is not written yet, before what its client has no room for, or at its end. */
export type LogPlace = "current" | "behind" | "done"

/** One reader of a log: a position in its lines. Upstream: cri-client/pkg/logs/logs.go, ReadLogs. */
export class LogReader {
  readonly options: LogOptions
  readonly client: StreamClient
  private readonly lines: LogLines
  private next = 0
  /** Where it ends, once that is known, and the text after the last line feed. */
  private until = Number.POSITIVE_INFINITY
  private last: LogLine | undefined
  private sent = 0
  private isNewLine = true

  constructor(options: LogOptions, client: StreamClient, lines: LogLines) {
    this.options = options
    this.client = client
    this.lines = lines
  }

  /** Begins with what is there now; `last` is the text after the last line feed, if it ends here. */
  begin(nowMs: number, last: LogLine | undefined, isEnding: boolean): void {
    if (isEnding) this.endHere(last)
    const { lines } = this
    const { sinceMs = 0, tailLines = Number.POSITIVE_INFINITY } = this.options
    const skipped = lines.end + (this.last === undefined ? 0 : 1) - tailLines
    this.next = Math.max(skipped, lines.firstSince(sinceMs), lines.firstShown(nowMs))
    if (tailLines === 0) this.last = undefined
  }

  /** Nothing is added for this reader. */
  endHere(last: LogLine | undefined): void {
    this.until = this.lines.end
    this.last = last?.text === "" ? undefined : last
  }

  /** Sends what its client has room for. Lines that are not kept any more are left out. */
  send(): LogPlace {
    for (;;) {
      if (this.left <= 0) return "done"
      if (this.next < this.lines.first) this.skipTo(this.lines.first)
      const end = Math.min(this.until, this.lines.end)
      if (this.next >= end && this.last === undefined) return this.next >= this.until ? "done" : "current"
      if (this.client.isFull()) return "behind"
      this.write(this.part(end))
    }
  }

  /** How many bytes it may still get. */
  private get left(): number {
    return (this.options.limitBytes ?? Number.POSITIVE_INFINITY) - this.sent
  }

  private skipTo(number: number): void {
    this.next = number
    this.isNewLine = true
  }

  private part(end: number): string {
    let text = ""
    while (this.next < end && text.length < PART_CHARACTERS) text += this.shown(this.lines.at(this.next++))
    if (this.next < end || this.last === undefined) return text
    text += this.shown(this.last)
    this.last = undefined
    return text
  }

  private shown({ atMs, text }: LogLine): string {
    const { sinceMs = 0, timestamps } = this.options
    const isStamped = timestamps && this.isNewLine
    this.isNewLine = text.endsWith("\n")
    if (atMs < sinceMs) return ""
    return isStamped ? `${stamp(atMs)} ${text}` : text
  }

  private write(text: string): void {
    if (text === "") return
    const { left } = this
    if (left === Number.POSITIVE_INFINITY) {
      this.client.write(1, text)
      return
    }
    const { bytes, shown } = firstBytes(text, left)
    this.sent += bytes
    this.client.write(1, shown)
  }
}
