import type { Pod } from "@rollcall/api"
import { type PodsContext, podsForDeletion } from "../podsForDeletion.ts"

/** Option → the flag of `kubectl drain` that sets it. */
const flags = {
  ignoreDaemonsets: "--ignore-daemonsets",
  deleteEmptydirData: "--delete-emptydir-data",
  force: "--force"
} as const
/** The order in which it is tried to leave flags out, and in which the others are listed. */
const names = ["ignoreDaemonsets", "deleteEmptydirData", "force"] as const

/** The flags that a refused drain lacks in order to start, without superfluous ones; empty if no flags help. */
export const missingFlags = (pods: ReadonlyArray<Pod>, context: PodsContext): ReadonlyArray<string> => {
  const starts = (given: PodsContext): boolean => podsForDeletion(pods, given).errors.length === 0
  let given: PodsContext = { ...context, ignoreDaemonsets: true, deleteEmptydirData: true, force: true }
  if (!starts(given)) return []
  for (const name of names) {
    const without = { ...given, [name]: false }
    if (starts(without)) given = without
  }
  return names.filter((name) => given[name] === true && context[name] !== true).map((name) => flags[name])
}
