import type { Pod, Release } from "@rollcall/api"
import type { lintShutdown, planShutdown, ShutdownConfig } from "@rollcall/shutdown"

/** All that is said of a node's shutdown. */
export interface ShutdownReport {
  readonly config: ShutdownConfig
  readonly release: Release
  /** Empty: of any node. */
  readonly node: string
  /** Absent: nobody said which pods there are. */
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly plan: ReturnType<typeof planShutdown>
  readonly findings: ReturnType<typeof lintShutdown>
}
