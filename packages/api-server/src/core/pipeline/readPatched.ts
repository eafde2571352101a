import { invalid, type Status } from "@rollcall/api"
import { goText, type Json } from "@rollcall/api/patch"
import { decodeValue, type MessageType } from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Exchange } from "./Exchange.ts"

const none: ReadonlyArray<string> = []

/**
 * What a patch made, as strictly read as any body: unknown and doubled fields are told or refused, nulls go. Faults are about the
 * field `patch`, and show a strategic patch itself, of others what they made.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go, applyPatchToCurrentObject.
 */
export const readPatched = (
  exchange: Exchange,
  type: MessageType,
  structural: boolean,
  request: PatchRequest,
  made: unknown
): Result.Result<unknown, Status> => {
  const { body, fieldValidation = "Warn", patchType, strictErrors = none } = request
  const refused = (why: string) => {
    const badValue = patchType === "strategic" ? goText(body as Json) : JSON.stringify(made)
    return Result.fail(
      invalid({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", badValue, detail: why }])
    )
  }
  const decoded = decodeValue(type, made, { structural })
  if (Result.isFailure(decoded)) return refused(decoded.failure)
  const faults = [...strictErrors, ...decoded.success.strictErrors]
  if (fieldValidation === "Strict" && faults.length > 0) return refused(`strict decoding error: ${faults.join(", ")}`)
  if (fieldValidation === "Warn") for (const fault of faults) exchange.warn(fault)
  return Result.succeed(decoded.success.value)
}
