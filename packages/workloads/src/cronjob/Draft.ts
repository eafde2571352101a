import { type CronJob, type CronJobStatus, formatTime, type Job, type ObjectReference, parseTime } from "@rollcall/api"

/** Records an Event about a CronJob. */
export type RecordEvent = (type: "Normal" | "Warning", reason: string, message: string) => void

/** A CronJob during a sync: its status changes step by step, and is written once at the end. */
export class Draft {
  cronJob: CronJob
  /** Whether the status is to be written. */
  isChanged = false

  constructor(cronJob: CronJob) {
    this.cronJob = cronJob
  }

  get active(): ReadonlyArray<ObjectReference> {
    return this.cronJob.status?.active ?? []
  }

  private set(status: CronJobStatus): void {
    this.cronJob = { ...this.cronJob, status: { ...this.cronJob.status, ...status } }
    this.isChanged = true
  }

  has(uid: string | undefined): boolean {
    return this.active.some((reference) => reference.uid === uid)
  }

  hasNamed(namespace: string | undefined, name: string): boolean {
    return this.active.some((reference) => reference.name === name && reference.namespace === namespace)
  }

  remove(uid: string | undefined): void {
    this.set({ active: this.active.filter((reference) => reference.uid !== uid) })
  }

  /** Adds a job that was started for a time. */
  started({ metadata }: Job, time: number): void {
    const { name = "", namespace = "", resourceVersion, uid = "" } = metadata
    const reference = {
      apiVersion: "batch/v1",
      kind: "Job",
      namespace,
      name,
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion })
    }
    this.set({ active: [...this.active, reference], lastScheduleTime: formatTime(time) })
  }

  /** Takes in the end of a job that the CronJob controls. */
  ended({ metadata, status }: Job, event: RecordEvent): void {
    const final = status?.conditions?.find(
      ({ status: is, type }) => is === "True" && (type === "Complete" || type === "Failed")
    )
    if (this.has(metadata.uid)) {
      this.remove(metadata.uid)
      event("Normal", "SawCompletedJob", `Saw completed job: ${metadata.name}, condition: ${final?.type}`)
    }
    if (final?.type !== "Complete") return
    const last = this.cronJob.status?.lastSuccessfulTime
    const completed = status?.completionTime
    if (last === undefined) this.set(completed === undefined ? {} : { lastSuccessfulTime: completed })
    else if (completed !== undefined && parseTime(completed) > parseTime(last)) {
      this.set({ lastSuccessfulTime: completed })
    }
  }
}
