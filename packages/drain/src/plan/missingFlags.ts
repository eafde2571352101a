import type { Pod } from "@rollcall/api"
import { type PodsContext, podsForDeletion } from "../podsForDeletion.ts"

const flags = {
  ignoreDaemonsets: "--ignore-daemonsets",
  deleteEmptydirData: "--delete-emptydir-data",
  force: "--force"
} as const
const names = ["ignoreDaemonsets", "deleteEmptydirData", "force"] as const

/** The smallest set of flags that makes a refused drain start; empty when no flags help. */
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
