import { leaderElectionSettings } from "@rollcall/control-plane"
import { type InvalidInput, invalid, type Setting, type SettingValues } from "@rollcall/input"
import * as Result from "effect/Result"
import type { LeaderFlags } from "./whileLeading.ts"

/** What a component's configuration says of leader election; `path` is where its file has it. Upstream: component-base/config. */
export const leaderElectionFields = (path: string): ReadonlyArray<Setting> => [
  ...leaderElectionSettings(path),
  { key: "resourceLock", flag: "leader-elect-resource-lock", path: `${path}.resourceLock`, type: "text" },
  { key: "resourceName", flag: "leader-elect-resource-name", path: `${path}.resourceName`, type: "text" },
  { key: "resourceNamespace", flag: "leader-elect-resource-namespace", path: `${path}.resourceNamespace`, type: "text" }
]

const fields = leaderElectionFields("")

/** The same of flags, by the settings' keys. */
export const leaderElectionConfig = (flags: LeaderFlags): SettingValues => ({
  leaderElect: flags["leader-elect"],
  leaseDurationMs: flags["leader-elect-lease-duration"],
  renewDeadlineMs: flags["leader-elect-renew-deadline"],
  retryPeriodMs: flags["leader-elect-retry-period"],
  resourceLock: "leases",
  resourceName: flags["leader-elect-resource-name"],
  resourceNamespace: flags["leader-elect-resource-namespace"]
})

export interface SplitConfig {
  /** As flags have it: what a flag did not say is as in the file. */
  readonly election: LeaderFlags
  /** All else that the file says. */
  readonly rest: SettingValues
}

/** Parts what a configuration file says into the election of its component and the rest. */
export const splitElection = (
  file: string,
  said: SettingValues,
  flags: LeaderFlags,
  given: ReadonlySet<string>
): Result.Result<SplitConfig, InvalidInput> => {
  if (said.resourceLock !== undefined && said.resourceLock !== "leases") {
    return Result.fail(invalid(file, "leaderElection.resourceLock", 'resourceLock value must be "leases"'))
  }
  const own = fields.flatMap(({ flag = "", key }) => {
    const value = said[key]
    return value === undefined || given.has(flag) ? [] : [[flag, value] as const]
  })
  const keys = new Set(fields.map(({ key }) => key))
  return Result.succeed({
    election: { ...flags, ...Object.fromEntries(own) },
    rest: Object.fromEntries(Object.entries(said).filter(([key]) => !keys.has(key)))
  })
}
