import type { KubeObject, Status } from "@rollcall/api"
import { isSteps, type MaybeSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes } from "../admission/Admission.ts"
import type { AdmissionChain } from "./AdmissionChain.ts"
import { runSteps } from "./continuations.ts"
import type { ServerCore } from "./ServerCore.ts"

type Admitted = Result.Result<KubeObject | undefined, Status>

/** Returns what the validating plugins see of the object that the mutating ones leave, or what is wrong with it. */
type Check = (object: KubeObject | undefined) => Admitted

const accepted: Check = Result.succeed

/**
 * Admits what is not stored as it is: a deletion, a binding, an eviction. Calls `done` with the object after all plugins, or
 * with the refusal: at once, unless a plugin waits.
 */
export const admit = (
  core: ServerCore,
  attributes: AdmissionAttributes,
  done: (admitted: Admitted) => void,
  check: Check = accepted
): void => {
  const chain = core.admission.get(attributes.kind, attributes.verb, attributes.subresource)
  if (chain === undefined) {
    done(check(attributes.object))
    return
  }
  const mutating = chain.mutate(attributes)
  const admitting = isSteps(mutating)
    ? admitAfter(chain, attributes, mutating, check)
    : validated(chain, attributes, mutating, check)
  if (!isSteps(admitting)) {
    done(admitting)
    return
  }
  const inSteps = function* (): Steps<void> {
    done(yield* admitting)
  }
  runSteps(core, attributes.userInfo.user, inSteps(), (status) => done(Result.fail(status)))
}

const admitAfter = function* (
  chain: AdmissionChain,
  attributes: AdmissionAttributes,
  mutating: Steps<Admitted>,
  check: Check
): Steps<Admitted> {
  const admitting = validated(chain, attributes, yield* mutating, check)
  return isSteps(admitting) ? yield* admitting : admitting
}

const validated = (
  chain: AdmissionChain,
  attributes: AdmissionAttributes,
  mutated: Admitted,
  check: Check
): MaybeSteps<Admitted> => {
  if (Result.isFailure(mutated)) return mutated
  const checked = check(mutated.success)
  if (Result.isFailure(checked)) return checked
  const refusing = chain.validate({ ...attributes, object: checked.success })
  if (isSteps(refusing)) return validatedAfter(refusing, checked)
  return refusing === undefined ? checked : Result.fail(refusing)
}

const validatedAfter = function* (refusing: Steps<Status | undefined>, checked: Admitted): Steps<Admitted> {
  const refusal = yield* refusing
  return refusal === undefined ? checked : Result.fail(refusal)
}
