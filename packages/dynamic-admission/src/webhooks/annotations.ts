import { isQualifiedName } from "@rollcall/api/validation"
import type { AdmissionExchange } from "../attributes.ts"
import type { ReviewResponse } from "./review.ts"

/*
 * What webhooks tell the audit and the client of a request. Upstream: plugin/webhook/{mutating,validating}/dispatcher.go.
 */

export type Notes = Pick<AdmissionExchange, "annotate" | "warn">

/** Passes on the annotations and warnings of an answer, which may be a denial. */
export const noteAnswer = (
  notes: Notes | undefined,
  name: string,
  { auditAnnotations, warnings }: ReviewResponse
): void => {
  for (const [key, value] of auditAnnotations) {
    const qualified = `${name}/${key}`
    if (isQualifiedName(qualified).length === 0) notes?.annotate(qualified, value)
  }
  for (const warning of warnings) notes?.warn(warning)
}

/** Which webhook a note is about: its place among those of the request, and the names of its configuration and its own. */
export interface NotedHook {
  readonly round: number
  readonly index: number
  readonly configuration: string
  readonly webhook: string
}

const placeOf = ({ index, round }: NotedHook): string => `round_${round}_index_${index}`

/** Notes whether a webhook changed the object. */
export const noteMutation = (notes: Notes | undefined, hook: NotedHook, mutated: boolean): void => {
  const { configuration, webhook } = hook
  const value = JSON.stringify({ configuration, webhook, mutated })
  notes?.annotate(`mutation.webhook.admission.k8s.io/${placeOf(hook)}`, value)
}

/** Notes the patch of a webhook. */
export const notePatch = (notes: Notes | undefined, hook: NotedHook, patch: ReadonlyArray<unknown>): void => {
  const { configuration, webhook } = hook
  const value = JSON.stringify({ configuration, webhook, patch, patchType: "JSONPatch" })
  notes?.annotate(`patch.webhook.admission.k8s.io/${placeOf(hook)}`, value)
}

/** Notes that a call failed, and that the request passes in spite of it. */
export const noteFailedOpen = (notes: Notes | undefined, type: "mutation" | "validating", hook: NotedHook): void =>
  notes?.annotate(`failed-open.${type}.webhook.admission.k8s.io/${placeOf(hook)}`, hook.webhook)
