/** Why an attempt to schedule or bind a pod failed, and what to write to the pod. */
export interface Failure {
  readonly reason: "Unschedulable" | "SchedulerError"
  readonly message: string
  /** The plugins whose events can make the pod schedulable; if empty, it is retried after its back-off. */
  readonly plugins: ReadonlyArray<string>
  /** The new value of the pod's nominatedNodeName: "" removes it, undefined leaves it unchanged. */
  readonly nomination: string | undefined
  /** The nominatedNodeName that a request has set already, though the cached pod may not have it yet. */
  readonly writtenNomination?: string | undefined
}
