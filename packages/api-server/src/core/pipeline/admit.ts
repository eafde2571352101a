import type { KubeObject } from "@rollcall/api"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes } from "../admission/Admission.ts"
import { runSteps } from "./continuations.ts"
import type { Exchange } from "./Exchange.ts"
import type { ServerCore } from "./ServerCore.ts"

/**
 * Admits the object of a subresource, which is not stored as it is: a binding, an eviction, the options of a connection.
 * Calls `proceed` with the object after all plugins, or refuses the request.
 */
export const admit = (
  core: ServerCore,
  exchange: Exchange,
  attributes: AdmissionAttributes,
  proceed: (object: KubeObject | undefined) => void
): void => {
  const chain = core.admission.get(attributes.kind, attributes.verb, attributes.subresource)
  if (chain === undefined) {
    proceed(attributes.object)
    return
  }
  const inSteps = function* (): Steps<void> {
    const admitting = chain.mutate(attributes)
    const admitted = isSteps(admitting) ? yield* admitting : admitting
    if (Result.isFailure(admitted)) return exchange.refuse(admitted.failure)
    const refusing = chain.validate({ ...attributes, object: admitted.success })
    const refused = isSteps(refusing) ? yield* refusing : refusing
    if (refused !== undefined) return exchange.refuse(refused)
    proceed(admitted.success)
  }
  runSteps(core, exchange.identity.user, inSteps(), (status) => exchange.refuse(status))
}
