import { applyJsonPatch, applyMergePatch, applyStrategicPatch, type Json, type PatchError } from "@rollcall/api/patch"
import * as Result from "effect/Result"
import type { Adapters } from "../Adapter.ts"

const outcome = (result: Result.Result<Json, PatchError>) =>
  Result.isSuccess(result) ? { result: result.success } : { error: result.failure.message }

export const patchAdapters: Adapters = {
  "patch/json": ({ given }) => outcome(applyJsonPatch(given.original, given.patch)),
  "patch/merge": ({ given }) => outcome(applyMergePatch(given.original, given.patch)),
  "patch/strategic": ({ given }) => outcome(applyStrategicPatch(given.kind, given.original, given.patch))
}
