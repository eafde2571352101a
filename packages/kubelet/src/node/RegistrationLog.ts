import type { LogLine } from "@rollcall/cluster"
import type { Registration } from "./Registration.ts"

const failures: Readonly<Record<Registration["awaiting"], string>> = {
  create: "Unable to register node with API server",
  get: "Unable to register node with API server, error getting existing node",
  patchStatus: "Unable to reconcile node with API server,error updating node"
}

/**
 * Returns the log line of a failed registration try, with upstream's text, including its missing space. `isForbidden`
 * says that the answer was Forbidden. Upstream: pkg/kubelet/kubelet_node_status.go tryRegisterWithAPIServer.
 */
export const registrationFailureLine = (
  awaiting: Registration["awaiting"],
  isForbidden: boolean,
  err: string,
  node: string
): LogLine => {
  const message = awaiting === "create" && isForbidden ? `${failures.create}, reason is forbidden` : failures[awaiting]
  return { severity: "error", message, fields: { err, node } }
}
