/** When the logs of running containers are rotated. Upstream: pkg/kubelet/logs/container_log_manager.go. */
export interface LogRotation {
  /** The size of a file from which it is rotated; infinite if none is. */
  readonly maxBytes: number
  /** How often sizes are looked at. */
  readonly intervalMs: number
}

/** Returns the first look at the sizes after `atMs`, of those from the start of the kubelet's process on. */
const lookAfter = ({ intervalMs }: LogRotation, startedMs: number, atMs: number): number =>
  startedMs + (Math.floor((atMs - startedMs) / intervalMs) + 1) * intervalMs

/** What stands before each line in the file: time, stream and tag. Upstream: containerd's internal/cri/io, redirectLogs. */
export const PREFIX_BYTES = 40

const NOT_ASCII = /[^\0-\x7f]/

/** Returns the bytes of a text in UTF-8, where half of a pair counts as if it were whole. */
const utf8Bytes = (text: string): number => {
  if (!NOT_ASCII.test(text)) return text.length
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return bytes
}

/** The file to which a container writes now: the only one of its log that is shown. */
export class LogFile {
  private readonly rotation: LogRotation
  private readonly startedMs: number
  private bytes = 0
  private rotatesAtMs = Number.POSITIVE_INFINITY
  /** The number of its first line. */
  first = 0

  constructor(rotation: LogRotation, startedMs: number) {
    this.rotation = rotation
    this.startedMs = startedMs
  }

  /** Begins a new file with the line `next` if this one has been rotated until now. */
  rotate(nowMs: number, next: number): void {
    if (this.rotatesAtMs > nowMs) return
    this.rotatesAtMs = Number.POSITIVE_INFINITY
    this.bytes = 0
    this.first = next
  }

  /** Adds a line, or a piece of one, which has a line of its own in the file. */
  wrote(atMs: number, text: string): void {
    this.bytes += PREFIX_BYTES + utf8Bytes(text) + (text.endsWith("\n") ? 0 : 1)
    if (this.bytes < this.rotation.maxBytes || this.rotatesAtMs !== Number.POSITIVE_INFINITY) return
    this.rotatesAtMs = lookAfter(this.rotation, this.startedMs, atMs)
  }
}
