import type { ComponentLog } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"

const WINDOW_MS = 30_000

interface MessageWindow {
  readonly endsAt: number
  leftOut: number
}

/**
 * A rate-limited log for many equal errors: of thousands of kubelets that lose one server, or of one client's requests.
 * Of each message, which is a constant text, one line in 30 s is written, and at the end of that time how many more
 * there were. Only errors pass.
 */
export const limitedLog = (log: ComponentLog, timers: Pick<TimersShape, "after" | "now">): ComponentLog => {
  const windows = new Map<string, MessageWindow>()
  const logLeftOut = (like: string, window: MessageWindow) =>
    log("error", "More of the same were left out", { like, lines: window.leftOut })
  return (severity, message, fields) => {
    if (severity !== "error") return
    const now = timers.now()
    const window = windows.get(message)
    if (window === undefined || now >= window.endsAt) {
      windows.set(message, { endsAt: now + WINDOW_MS, leftOut: 0 })
      log(severity, message, fields)
      return
    }
    if (window.leftOut === 0) timers.after(window.endsAt - now, () => logLeftOut(message, window))
    window.leftOut++
  }
}
