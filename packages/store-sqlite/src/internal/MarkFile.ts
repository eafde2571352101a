import {
  closeSync,
  constants,
  fdatasync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { decodeSlots, encodeSlot, type Mark, markAfter, SLOT_BYTES, SLOTS } from "./Mark.ts"
import { messageOf } from "./Refusal.ts"
import type { NewRows } from "./rows.ts"

/** Returns the path of the file that records what a store has acknowledged. */
export const markPathOf = (file: string): string => `${file}-acked`

/** What was read of a store's mark file. `writes` counts the writes of the file. */
export type MarkFound =
  | { readonly state: "missing" }
  | { readonly state: "damaged" }
  | { readonly state: "whole"; readonly mark: Mark; readonly writes: number }

export const readMark = (path: string): MarkFound => {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status === undefined) return { state: "missing" }
  if (!status.isFile() || status.size > SLOTS * SLOT_BYTES) return { state: "damaged" }
  const slot = decodeSlots(readFileSync(path, "latin1"))
  return slot === undefined ? { state: "damaged" } : { state: "whole", ...slot }
}

const withSyncedFile = (path: string, flags: number | string, act: (handle: number) => void): void => {
  const handle = openSync(path, flags, 0o600)
  try {
    act(handle)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Replaces the mark file durably. */
export const replaceMark = (path: string, mark: Mark): void => {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  withSyncedFile(draft, "wx", (handle) => {
    writeSync(handle, Array.from({ length: SLOTS }, (_, at) => encodeSlot(mark, at)).join(""))
  })
  renameSync(draft, path)
  withSyncedFile(dirname(path), constants.O_RDONLY, () => {})
}

/**
 * The mark file of an open store. It is written after each commit and before the writers are answered, in place and
 * without an fsync: so it never records more than is durable, and a killed process loses nothing of it. `sync` flushes
 * it to the disk periodically.
 */
export class MarkFile {
  private readonly path: string
  private readonly handle: number
  private writes: number
  private mark: Mark
  /** Why the last write of `mark` to the file failed; undefined if the file is current. */
  private writeError: string | undefined
  private syncing = false

  /** `mark` is what the store holds now; the file may lag behind it. */
  constructor(path: string, mark: Mark) {
    const found = readMark(path)
    if (found.state !== "whole") throw new Error(`${path} is ${found.state}`)
    this.path = path
    this.mark = mark
    this.writes = found.writes
    this.handle = openSync(path, "r+")
    if (mark.revision !== found.mark.revision) this.write()
  }

  /** Records committed rows. A failure is thrown by the next `requireCurrent`, because these rows are durable already. */
  record(rows: NewRows): void {
    this.mark = markAfter(this.mark, rows)
    this.write()
  }

  /** Throws while the file lags behind: nothing more may be committed until it is current. */
  requireCurrent(): void {
    if (this.writeError !== undefined) this.write()
    if (this.writeError !== undefined) throw new Error(`${this.path} cannot be written: ${this.writeError}`)
  }

  /** Starts flushing the file to the disk, without waiting. After a power failure it can lack only the newest marks. */
  sync(): void {
    if (this.syncing) return
    this.syncing = true
    fdatasync(this.handle, () => {
      this.syncing = false
    })
  }

  close(): void {
    if (this.writeError !== undefined) this.write()
    try {
      fsyncSync(this.handle)
    } finally {
      closeSync(this.handle)
    }
  }

  private write(): void {
    const writes = this.writes + 1
    try {
      const slot = encodeSlot(this.mark, writes)
      const written = writeSync(this.handle, slot, (writes % SLOTS) * SLOT_BYTES, "latin1")
      if (written !== SLOT_BYTES) throw new Error(`${written} of ${SLOT_BYTES} bytes`)
      this.writes = writes
      this.writeError = undefined
    } catch (cause) {
      this.writeError = messageOf(cause)
    }
  }
}
