import { parseCpuSet } from "@rollcall/topology"
import * as Result from "effect/Result"

/** Parses a list of ids as the kernel writes it, `0-3,8`; ascending. Empty for a missing or invalid text. */
export const parseIdList = (text: string | undefined): ReadonlyArray<number> =>
  Result.match(parseCpuSet(text ?? ""), { onFailure: () => [], onSuccess: ({ ids }) => ids })
