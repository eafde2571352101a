import type { LogLine } from "@rollcall/cluster"
import type { Registration } from "./Registration.ts"

const failures: Readonly<Record<Registration["awaiting"], string>> = {
  create: "Unable to register node with API server",
  get: "Unable to register node with API server, error getting existing node",
  patchStatus: "Unable to reconcile node with API server,error updating node"
}

/**
 * What a kubelet logs of a try to register that failed, in upstream's words, its missing space among them. `isForbidden`: where
 * that alone ends the try. Upstream: pkg/kubelet/kubelet_node_status.go tryRegisterWithAPIServer.
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
