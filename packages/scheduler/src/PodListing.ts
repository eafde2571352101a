import type { Pod } from "@rollcall/api"
import * as Context from "effect/Context"

/** Called with what lists the pods of a scheduler's cache, once it has one. */
export type PodListing = (pods: () => ReadonlyArray<Pod>) => void

/** Who reads the pods of the scheduler in this process; nobody by default. */
export const CurrentPodListing = Context.Reference<PodListing>("@rollcall/scheduler/CurrentPodListing", {
  defaultValue: () => () => undefined
})
