import type { Cause } from "./causes.ts"
import type { Entry, Recording } from "./Recording.ts"

export interface Difference {
  readonly check: "count" | "order" | "time" | "event" | "metric"
  readonly message: string
}

export interface Comparison {
  readonly name: string
  readonly entries: number
  readonly events: number
  readonly metrics: number
  /** The largest difference in time that was accepted, in seconds. */
  readonly largest: number
  readonly differences: ReadonlyArray<Difference>
}

/** An entry that is compared, with its class, its signature and what its time follows from. */
export interface Compared {
  readonly entry: Entry
  readonly signature: string
  readonly zone: string
  readonly subject: string
  readonly kind: string
  readonly cause: Cause
}

/** By how many entries of a type the two recorded runs differ in some zone: what chance may do in every zone. */
export const variationOf = (recording: Recording, type: string): number =>
  Math.max(
    0,
    ...(recording.spread?.countsThatDiffer ?? [])
      .filter(({ entry }) => entry.split(" ")[0] === type)
      .map(({ run1, run2 }) => Math.abs(run1 - run2))
  )
