/** An Event to record. */
export interface Told {
  readonly type: "Normal" | "Warning"
  /** Upstream: pkg/controller/volume/events/event.go. */
  readonly reason: string
  readonly message: string
}

export const normal = (reason: string, message: string): Told => ({ type: "Normal", reason, message })
export const warning = (reason: string, message: string): Told => ({ type: "Warning", reason, message })
