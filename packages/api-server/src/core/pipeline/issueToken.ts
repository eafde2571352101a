import { genericResponse, type KubeObject } from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Handler } from "./ServerCore.ts"

/** POST of serviceaccounts/token: answers a TokenRequest, and stores nothing. */
export const issueToken: Handler<CreateRequest> = ({ tokens }, exchange, _, request) => {
  if (tokens === undefined || request.kind !== "ServiceAccount") return exchange.refuse(genericResponse(404))
  const { dryRun = false, name = "", namespace = "" } = request
  const posted = request.object as KubeObject
  const object = tokens.defaults?.(posted) ?? posted
  const warn = (text: string) => exchange.warn(text)
  const issued = tokens.create({ user: exchange.identity, namespace, name, object, dryRun, warn })
  if (Result.isFailure(issued)) exchange.refuse(issued.failure)
  else exchange.ok(issued.success, 201, undefined)
}
