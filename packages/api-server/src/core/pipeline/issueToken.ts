import { genericResponse, type KubeObject } from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { runSteps } from "./continuations.ts"
import { createVirtual } from "./createVirtual.ts"
import type { Handler } from "./ServerCore.ts"

/** POST of serviceaccounts/token: answers a TokenRequest, and stores nothing. */
export const issueToken: Handler<CreateRequest> = (core, exchange, _, request) => {
  const { tokens } = core
  if (tokens === undefined || request.kind !== "ServiceAccount") return exchange.refuse(genericResponse(404))
  const { dryRun = false, name = "", namespace = "" } = request
  const posted = request.object as KubeObject
  const object = tokens.defaults?.(posted) ?? posted
  const warn = (text: string) => exchange.warn(text)
  const answer = function* (): Steps<void> {
    const write = { user: exchange.identity, namespace, name, object, dryRun, warn }
    const issued = yield* createVirtual(core)(tokens, write)
    if (Result.isFailure(issued)) exchange.refuse(issued.failure)
    else exchange.ok(issued.success, 201, undefined)
  }
  runSteps(core, exchange.identity.user, answer(), (status) => exchange.refuse(status))
}
