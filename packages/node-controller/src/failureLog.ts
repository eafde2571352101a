import type { Taint } from "@rollcall/api"
import * as Effect from "effect/Effect"

/** Logs a failure for one node or pod, with kube-controller-manager's message; the next pass or retry handles it. */
export const logFailure = (
  message: string,
  err: string | undefined,
  fields: Readonly<Record<string, string>>
): Effect.Effect<void> =>
  Effect.logError(message).pipe(Effect.annotateLogs(err === undefined ? fields : { err, ...fields }))

/** Formats taints as Go prints a slice of pointers to them. */
export const taintsText = (taints: ReadonlyArray<Taint>): string => {
  const texts = taints.map(
    ({ effect, key, timeAdded, value = "" }) =>
      `&Taint{Key:${key},Value:${value},Effect:${effect},TimeAdded:${timeAdded ?? "<nil>"},}`
  )
  return `[${texts.join(" ")}]`
}
