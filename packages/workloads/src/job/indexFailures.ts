import type { Pod } from "@rollcall/api"

/** Upstream: batch/v1 JobIndexFailureCountAnnotation, JobIndexIgnoredFailureCountAnnotation. */
const failureCount = "batch.kubernetes.io/job-index-failure-count"
const ignoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count"

/** Earlier failures of an index. They are in annotations of each pod, from which the next pod gets them. */
export interface IndexFailures {
  readonly counted: number
  readonly ignored: number
}

/** A count in an annotation; 0 if it is no 32-bit number. */
const numberOf = (text: string | undefined): number => {
  const value = Number(text ?? 0)
  return Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : 0
}

/** The failures of the index before this pod. */
export const failuresBefore = ({ metadata: { annotations } }: Pod): IndexFailures => ({
  counted: numberOf(annotations?.[failureCount]),
  ignored: numberOf(annotations?.[ignoredFailureCount])
})

export const failureAnnotations = (failures: IndexFailures | undefined): Readonly<Record<string, string>> => ({
  ...(failures === undefined ? {} : { [failureCount]: String(failures.counted) }),
  ...(failures === undefined || failures.ignored === 0 ? {} : { [ignoredFailureCount]: String(failures.ignored) })
})
