/** An Event to record. */
export interface EventDraft {
  readonly type: "Normal" | "Warning"
  /** Upstream: pkg/controller/volume/events/event.go. */
  readonly reason: string
  readonly message: string
}

export const normal = (reason: string, message: string): EventDraft => ({ type: "Normal", reason, message })
export const warning = (reason: string, message: string): EventDraft => ({ type: "Warning", reason, message })
