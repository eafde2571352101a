import { parseCpuSet } from "@rollcall/topology"
import * as Result from "effect/Result"

/** The ids of a list as the kernel writes it: `0-3,8`, ascending. Nothing, or nonsense, is no id. */
export const parseIdList = (text: string | undefined): ReadonlyArray<number> =>
  Result.match(parseCpuSet(text ?? ""), { onFailure: () => [], onSuccess: ({ ids }) => ids })
