/** Why a file is not opened. */
export type Reason = "damaged" | "foreign" | "newer" | "locked" | "unavailable"

export class Refusal extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const damaged = (file: string, what: string): Refusal =>
  new Refusal(
    "damaged",
    `${file} is damaged (${what}): put a copy from a backup in its place, or move it away, with its -wal beside it, to begin empty`
  )
