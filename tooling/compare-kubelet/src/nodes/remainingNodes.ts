import type { Remaining } from "../remaining.ts"

/** How the patch differs of a pod that a shutdown ended, and whose containers had exit code 0. */
const completed = (name: string): ReadonlyArray<string> => [
  `  patch pods/status ${name} 200`,
  '-   status.conditions[ContainersReady].reason: "PodCompleted"',
  '+   status.conditions[ContainersReady].reason: "PodFailed"',
  '-   status.conditions[Initialized].reason: "PodCompleted"',
  '-   status.conditions[Initialized].type: "Initialized"',
  '-   status.conditions[Ready].reason: "PodCompleted"',
  '+   status.conditions[Ready].reason: "PodFailed"',
  '-   status.phase: "Succeeded"',
  '+   status.message: "Pod was terminated in response to imminent node shutdown."',
  '+   status.phase: "Failed"',
  '+   status.reason: "Terminated"'
]

const WHY =
  "A pod that the kubelet itself ends, and whose containers all exit with 0, is Succeeded and has no reason in 1.36, against its documentation; one whose containers fail is the same in both."

/** The differences that remain in lives of nodes, by shape. */
export const remainingNodes: Readonly<Record<string, Remaining>> = {
  "shuts-down": { why: WHY, lines: [...completed("plain-stops"), ...completed("critical-stops")] },
  "shutdown-cancelled": { why: WHY, lines: completed("stays-stopped") }
}
