import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { decodeText } from "./decodeText.ts"
import { folderError, systemError, tooLongError } from "./TextFileError.ts"

const CHUNK_BYTES = 64 * 1024

/** The result of one read: more text, the end of the file, or nothing yet (a pipe whose writer is still open). */
export type ReadStep = "more" | "end" | "waits"

/**
 * A file that is read in chunks, up to `limitBytes`. It is opened with O_NONBLOCK: otherwise a pipe without a writer
 * would block a thread for ever, and the process could not exit.
 */
export class OpenText {
  readonly status: Stats
  private readonly handle: number
  private readonly limitBytes: number
  private readonly chunks: Array<Buffer> = []
  private bytes = 0

  constructor(file: string, limitBytes: number) {
    this.limitBytes = limitBytes
    this.handle = throwingTextFileError(() => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK))
    try {
      this.status = throwingTextFileError(() => fstatSync(this.handle))
      if (this.status.isDirectory()) throw folderError()
      if (this.status.isFile() && this.status.size > limitBytes) throw tooLongError(limitBytes, this.status.size)
    } catch (error) {
      this.close()
      throw error
    }
  }

  get isEmpty(): boolean {
    return this.bytes === 0
  }

  /** Reads a chunk. Throws TextFileError when the file is longer than the limit. */
  read(): ReadStep {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let read: number
    try {
      read = readSync(this.handle, chunk)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EAGAIN") return "waits"
      throw systemError(cause)
    }
    if (read === 0) return "end"
    this.bytes += read
    if (this.bytes > this.limitBytes) throw tooLongError(this.limitBytes)
    this.chunks.push(chunk.subarray(0, read))
    return "more"
  }

  /** Returns the text that has been read. Throws TextFileError as `decodeText` does. */
  text(): string {
    return decodeText(Buffer.concat(this.chunks, this.bytes), this.limitBytes)
  }

  close(): void {
    closeSync(this.handle)
  }
}

const throwingTextFileError = <A>(act: () => A): A => {
  try {
    return act()
  } catch (cause) {
    throw systemError(cause)
  }
}
