import type { Place } from "@rollcall/flow-control"
import { type Call, UNAUTHENTICATED } from "../call/Call.ts"
import { isLongRunning } from "../request/longRunning.ts"

/**
 * Sets the headers with uids and not names: names of priority levels are not public. Requests that upstream answers before
 * flow control, or serves outside of it, have none.
 */
export const setPriorityHeaders = (call: Call, { flowSchemaUid, priorityLevelUid }: Place): void => {
  const { identity, info, response } = call
  if (flowSchemaUid === undefined || priorityLevelUid === undefined || identity === UNAUTHENTICATED) return
  if (call.precedesFlow) return
  if ((info.subresource !== "" || info.verb === "proxy") && info.verb !== "watch" && isLongRunning(call)) return
  response.setHeader("X-Kubernetes-Pf-Flowschema-Uid", flowSchemaUid)
  response.setHeader("X-Kubernetes-Pf-Prioritylevel-Uid", priorityLevelUid)
}
