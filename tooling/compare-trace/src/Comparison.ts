import type { Cause } from "./causes.ts"
import type { Entry, Recording } from "./Recording.ts"

/** A difference between a recording and a run: which check found it, and what was recorded and found. */
export interface Difference {
  readonly check: "count" | "order" | "time" | "event" | "metric"
  readonly message: string
}

/** The result of a comparison: the numbers of compared entries, Events and metric values, and the differences. */
export interface Comparison {
  /** The name of the recording. */
  readonly name: string
  readonly entries: number
  readonly events: number
  readonly metrics: number
  /** The largest accepted difference in time, in seconds. */
  readonly largestSeconds: number
  readonly differences: ReadonlyArray<Difference>
}

/** An entry to compare. */
export interface ComparedEntry {
  readonly entry: Entry
  /** The type and those fields that must be equal (`signatureOf`). */
  readonly signature: string
  readonly zone: string
  /** The name of its pod or node; "" if it has none. */
  readonly subject: string
  /** The class of its subject (`Classes`). */
  readonly kind: string
  /** The cause of its time. */
  readonly cause: Cause
}

/**
 * Returns the largest difference between the two recorded runs in the number of entries of a type in a zone. It is taken as the random
 * variation of every zone.
 */
export const variationOf = (recording: Recording, type: string): number =>
  Math.max(
    0,
    ...(recording.spread?.countsThatDiffer ?? [])
      .filter(({ entry }) => entry.split(" ")[0] === type)
      .map(({ run1, run2 }) => Math.abs(run1 - run2))
  )
