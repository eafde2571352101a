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
import { advanced, decodeSlots, encodeSlot, type Mark, SLOT_BYTES, SLOTS } from "./Mark.ts"
import { messageOf } from "./Refusal.ts"
import type { NewRows } from "./rows.ts"

export const markPathOf = (file: string): string => `${file}-acked`

/** The state of a store's mark file. */
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

const synced = (path: string, flags: number | string, act: (handle: number) => void): void => {
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
  synced(draft, "wx", (handle) => {
    writeSync(handle, Array.from({ length: SLOTS }, (_, at) => encodeSlot(mark, at)).join(""))
  })
  renameSync(draft, path)
  synced(dirname(path), constants.O_RDONLY, () => {})
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
  /** Why the file lags behind `mark`. */
  private lag: string | undefined
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

  /** Records committed rows. A failure is kept for `settle`: the rows are durable all the same. */
  note(rows: NewRows): void {
    this.mark = advanced(this.mark, rows)
    this.write()
  }

  /** Throws while the file lags behind: nothing more may be committed until it is current. */
  settle(): void {
    if (this.lag !== undefined) this.write()
    if (this.lag !== undefined) throw new Error(`${this.path} cannot be written: ${this.lag}`)
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
    if (this.lag !== undefined) this.write()
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
      this.lag = undefined
    } catch (cause) {
      this.lag = messageOf(cause)
    }
  }
}
