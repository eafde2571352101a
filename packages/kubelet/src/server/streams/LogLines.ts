import type { LogMemory } from "./LogMemory.ts"
import { LogFile, type LogRotation, PREFIX_BYTES } from "./LogRotation.ts"

/** What is kept of each log. A log that may be larger keeps as much as it may have. */
const MAX_KEPT = 10 * 1024 * 1024
/** Longer lines are written in pieces. Upstream: containerd's max_container_log_line_size. */
const MAX_PIECE = 16 * 1024
/** What a line takes in memory besides its characters. */
const LINE_BYTES = 160

/** A line of a log, or a piece of one: only the last piece ends with a line feed. */
export interface LogLine {
  readonly atMs: number
  readonly text: string
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** The last lines of a log. Each has a number that it keeps when those before it are dropped. */
export class LogLines {
  private readonly memory: Pick<LogMemory, "add">
  private lines: Array<LogLine> = []
  /** How many of `lines` are dropped. */
  private dropped = 0
  /** The number of the first of `lines`. */
  private numbered = 0
  private characters = 0
  private partial = ""
  private readonly most: number
  private readonly file: LogFile

  constructor(memory: Pick<LogMemory, "add">, rotation: LogRotation, startedMs: number) {
    this.memory = memory
    this.most = Math.max(MAX_KEPT, rotation.maxBytes)
    this.file = new LogFile(rotation, startedMs)
  }

  /** The number of the first line that is kept. */
  get first(): number {
    return this.numbered + this.dropped
  }

  /** Returns the number of the first line that a reader is shown who comes now: lines before it have been rotated away. */
  firstShown(nowMs: number): number {
    this.file.rotate(nowMs, this.end)
    return Math.max(this.first, this.file.first)
  }

  /** The number of the next line. */
  get end(): number {
    return this.numbered + this.lines.length
  }

  get heldBytes(): number {
    return this.characters + this.count * LINE_BYTES
  }

  /** What was written after the last line feed. */
  get unfinished(): string {
    return this.partial
  }

  /** Returns a line that is kept. */
  at(number: number): LogLine {
    const line = this.lines[number - this.numbered]
    if (line === undefined || number < this.first) throw new Error(`line ${number} is not kept`)
    return line
  }

  /** Returns the number of the first line that is not older. */
  firstSince(atMs: number): number {
    let [low, high] = [this.first, this.end]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.at(middle).atMs < atMs) low = middle + 1
      else high = middle
    }
    return low
  }

  write(atMs: number, text: string): void {
    const lines = (this.partial + text).split("\n")
    const last = lines.pop() ?? ""
    for (const line of lines) this.pieces(atMs, `${line}\n`)
    this.partial = this.pieces(atMs, last, last.length - (last.length % MAX_PIECE))
  }

  dropHalf(): void {
    this.drop(Math.ceil(this.count / 2))
  }

  private get count(): number {
    return this.lines.length - this.dropped
  }

  /** Adds a text in pieces, up to `until`; returns the rest. */
  private pieces(atMs: number, text: string, until = text.length): string {
    let from = 0
    while (from < until) {
      const to = Math.min(from + MAX_PIECE, until)
      const isCut = to < text.length && isHighSurrogate(text.charCodeAt(to - 1))
      const next = isCut ? to - 1 : to
      this.add({ atMs, text: text.slice(from, next) })
      from = next
      if (isCut && to === until) break
    }
    return text.slice(from)
  }

  private add(line: LogLine): void {
    this.file.rotate(line.atMs, this.end)
    this.file.wrote(line.atMs, line.text)
    this.lines.push(line)
    this.characters += line.text.length
    this.memory.add(line.text.length + LINE_BYTES)
    while (this.characters + this.count * PREFIX_BYTES > this.most) this.drop(1)
  }

  private drop(count: number): void {
    const before = this.heldBytes
    for (const { text } of this.lines.slice(this.dropped, this.dropped + count)) this.characters -= text.length
    this.dropped += count
    this.memory.add(this.heldBytes - before)
    if (this.dropped * 2 <= this.lines.length) return
    this.lines = this.lines.slice(this.dropped)
    this.numbered += this.dropped
    this.dropped = 0
  }
}
