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

/** An entry to compare, with its class, its signature and the cause of its time. */
export interface Compared {
  readonly entry: Entry
  readonly signature: string
  readonly zone: string
  readonly subject: string
  readonly kind: string
  readonly cause: Cause
}

/** Returns the largest difference of the two recorded runs in the number of entries of a type in a zone: the random variation of any zone. */
export const variationOf = (recording: Recording, type: string): number =>
  Math.max(
    0,
    ...(recording.spread?.countsThatDiffer ?? [])
      .filter(({ entry }) => entry.split(" ")[0] === type)
      .map(({ run1, run2 }) => Math.abs(run1 - run2))
  )
