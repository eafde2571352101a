import { parseDuration } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import type { FlowQuestion } from "../flowcontrol/FlowControl.ts"
import { beginsWithList } from "../flowcontrol/workEstimate.ts"
import { selectedName } from "./access.ts"

/** Upstream: `--request-timeout`, of which a request may spend a quarter in a queue. */
const REQUEST_TIMEOUT_MS = 60_000
const WAITED_PART = 4
const WAIT_MS = REQUEST_TIMEOUT_MS / WAITED_PART

type Asked = Pick<Call, "identity" | "info" | "query">

/** What flow control is asked of a request. Upstream: apiserver/pkg/server/filters/priority-and-fairness.go. */
export const questionOf = (call: Asked): FlowQuestion => {
  const { identity: user, info, query } = call
  if (query.empty) {
    const listLimit = info.verb === "list" || info.verb === "watch" ? 0 : undefined
    return { info, user, waitMs: WAIT_MS, listLimit }
  }
  return { info, user, waitMs: waitMsOf(call), listLimit: listLimitOf(call) }
}

/** A client that gives itself less time waits less; a watch has none of its own. */
const waitMsOf = ({ info, query }: Asked): number => {
  const timeout = info.verb === "watch" ? undefined : query.text("timeout")
  const timeoutMs = timeout === undefined ? Number.NaN : parseDuration(timeout)
  return timeoutMs > 0 ? Math.min(timeoutMs, REQUEST_TIMEOUT_MS) / WAITED_PART : WAIT_MS
}

const listLimitOf = ({ info, query }: Asked): number | undefined => {
  const { verb } = info
  if (verb !== "list" && verb !== "watch") return undefined
  const fieldSelector = query.text("fieldSelector")
  if (fieldSelector !== undefined && selectedName(fieldSelector) !== "") return undefined
  if (verb === "list") return Math.max(0, Math.trunc(Number(query.text("limit") ?? 0)) || 0)
  const sendInitialEvents = query.text("sendInitialEvents") === "true"
  return beginsWithList(query.text("resourceVersion"), sendInitialEvents) ? 0 : undefined
}
