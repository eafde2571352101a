import { badRequest, type Status, tooLargeResourceVersion } from "@rollcall/api"
import { resumed } from "./resumed.ts"
import type { ServerCore } from "./ServerCore.ts"

/** How long a read waits for a revision that is yet to come. Upstream: storage/cacher, blockTimeout. */
const PATIENCE_MS = 3000

/** A resourceVersion parameter as a number; undefined when it says nothing, NaN when it cannot be read. */
export const revisionOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Why a resourceVersion cannot be read: what a watch is told. */
export const unreadableRevisionText = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

export const unreadableRevision = (text: string): Status =>
  badRequest(`invalid resource version: ${unreadableRevisionText(text)}`)

/** Goes on once reads show the revision; refuses when it does not come in time. */
export const whenFresh = (
  core: ServerCore,
  revision: number | undefined,
  proceed: () => void,
  refuse: (status: Status) => void
) => {
  const { registry, timers } = core
  if (revision === undefined || revision <= registry.revision) return proceed()
  const giveUp = timers.after(PATIENCE_MS, () => {
    forget()
    refuse(tooLargeResourceVersion(revision, registry.revision, 1))
  })
  const shown = resumed(core, refuse, () => {
    timers.cancel(giveUp)
    proceed()
  })
  const forget = registry.whenAt(revision, () => shown(undefined))
}
