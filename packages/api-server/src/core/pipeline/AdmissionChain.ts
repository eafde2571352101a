import type { KubeObject, Status } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { MaybeSteps } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { AdmissionAttributes } from "../admission/Admission.ts"

/** The plugins that handle one kind of write, as one. */
export interface AdmissionChain {
  /** Returns the object after all plugins have changed it, or the first refusal. */
  readonly mutate: (attributes: AdmissionAttributes) => MaybeSteps<Result.Result<KubeObject | undefined, Status>>
  /** Returns the errors that come before those of the validation. Undefined if no plugin checks anything. */
  readonly check: ((attributes: AdmissionAttributes) => FieldErrors) | undefined
  /** Returns the first refusal, or undefined if all plugins accept the object. */
  readonly validate: (attributes: AdmissionAttributes) => MaybeSteps<Status | undefined>
  /**
   * Reserves what an accepted write uses, before it is stored, and calls back once with the first refusal, or undefined.
   * Undefined if no plugin reserves anything.
   */
  readonly reserve: Reserve | undefined
}

export type Reserve = (attributes: AdmissionAttributes, done: (refusal: Status | undefined) => void) => void
