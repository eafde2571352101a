/** Why a file is not opened. */
export type Reason = "lost" | "damaged" | "foreign" | "newer" | "locked" | "unavailable"

/** Thrown when a file must not be opened. The message names the file and says what to do. */
export class Refusal extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The flag of Rollcall's programs that sets `acceptLoss`. */
const ACCEPT = "--accept-data-loss"

export const lost = (file: string, losses: ReadonlyArray<string>): Refusal =>
  new Refusal(
    "lost",
    `${losses.join("; ")}. Nothing has been changed. Put ${file} and the files beside it (-wal, -acked) back, all of the same ` +
      `time; or start with ${ACCEPT} to go on without what is missing`
  )

export const damaged = (file: string, what: string): Refusal =>
  new Refusal(
    "damaged",
    `${file} is damaged (${what}): put a copy from a backup in its place, or move it away, with its -wal beside it, and start with ${ACCEPT} to begin empty`
  )
