import type { Taint } from "@rollcall/api"
import * as Effect from "effect/Effect"

/** What went wrong with one node or pod, in kube-controller-manager's words; the next pass or try goes on with it. */
export const logFailure = (
  message: string,
  err: string | undefined,
  fields: Readonly<Record<string, string>>
): Effect.Effect<void> =>
  Effect.logError(message).pipe(Effect.annotateLogs(err === undefined ? fields : { err, ...fields }))

/** Taints as Go prints a slice of them. */
export const taintsText = (taints: ReadonlyArray<Taint>): string => {
  const texts = taints.map(
    ({ effect, key, timeAdded, value = "" }) =>
      `&Taint{Key:${key},Value:${value},Effect:${effect},TimeAdded:${timeAdded ?? "<nil>"},}`
  )
  return `[${texts.join(" ")}]`
}
