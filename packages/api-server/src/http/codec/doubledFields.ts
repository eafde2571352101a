import { decodeJson, type MessageType } from "@rollcall/api/wire"
import * as Result from "effect/Result"

/** A message that takes everything. */
const anything: MessageType = {
  fullName: "",
  name: "",
  goPackage: "",
  fields: new Map(),
  atomic: false,
  preserveUnknown: true
}

/** `duplicate field "spec.x"` for each field that a JSON object has more than once, by path. */
export const doubledFields = (text: string, parsed: unknown): ReadonlyArray<string> => {
  const decoded = decodeJson(anything, text, Result.succeed(parsed))
  return Result.isSuccess(decoded) ? decoded.success.strictErrors : []
}
