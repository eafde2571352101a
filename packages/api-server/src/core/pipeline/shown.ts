import type { KubeObject } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import type { ApiRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { KindState } from "../registry/KindState.ts"
import type { Reply } from "./Exchange.ts"

/** Returns an answer with its objects of the kind, one or a list of them, as the main resource shows them. */
const answerShown = (answer: unknown, kind: string, asShown: (object: KubeObject) => KubeObject): unknown => {
  if (!isFields(answer)) return answer
  if (Array.isArray(answer.items)) return { ...answer, items: answer.items.map(asShown) }
  return answer.kind === kind ? asShown(answer as unknown as KubeObject) : answer
}

/**
 * Returns the reply to a request for the main resource of a kind that shows its objects otherwise than they are stored;
 * for all others the reply itself. Upstream: registry.Store, Decorator.
 */
export const replyShown = (state: KindState | undefined, request: ApiRequest, reply: Reply): Reply => {
  const { resource, strategy } = state?.definition ?? {}
  const asShown = strategy?.asShown
  if (resource === undefined || asShown === undefined) return reply
  if ("subresource" in request && request.subresource !== undefined) return reply
  return (answer, code, warnings) =>
    reply(Result.map(answer, (body) => answerShown(body, resource.kind, asShown)) as typeof answer, code, warnings)
}
