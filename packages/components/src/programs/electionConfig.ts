import { leaderElectionSettings } from "@rollcall/control-plane"
import {
  type Given,
  type InEffect,
  type InvalidInput,
  invalid,
  setting,
  textValue,
  withoutFlags
} from "@rollcall/input"
import * as Result from "effect/Result"

/** The only supported type of lock. */
const LOCK_TYPE = "leases"

/** The leader election fields of a component's configuration file, below `path`. Upstream: component-base/config. */
export const leaderElectionFields = (path: string) => ({
  ...leaderElectionSettings(path),
  resourceLock: setting(
    textValue,
    { flag: "leader-elect-resource-lock", path: `${path}.resourceLock` },
    (): string => LOCK_TYPE
  ),
  resourceName: setting(textValue, { flag: "leader-elect-resource-name", path: `${path}.resourceName` }, () => ""),
  resourceNamespace: setting(
    textValue,
    { flag: "leader-elect-resource-namespace", path: `${path}.resourceNamespace` },
    () => "kube-system"
  )
})

const fields = leaderElectionFields("")

/** The leader election of a component. */
export interface ElectionSettings extends InEffect<typeof fields> {}

/** The values of `leaderFlags`. */
export interface LeaderFlags {
  readonly "leader-elect": boolean
  readonly "leader-elect-lease-duration": number
  readonly "leader-elect-renew-deadline": number
  readonly "leader-elect-retry-period": number
  readonly "leader-elect-resource-name": string
  readonly "leader-elect-resource-namespace": string
}

/**
 * Resolves the leader election of a component: a flag in `given` overrides the settings of its file, which override the
 * defaults of the flags. Fails if the file has another type of lock.
 */
export const electionSettings = (
  file: string,
  fileSettings: Given<typeof fields>,
  flags: LeaderFlags,
  given: ReadonlySet<string>
): Result.Result<ElectionSettings, InvalidInput> =>
  fileSettings.resourceLock !== undefined && fileSettings.resourceLock !== LOCK_TYPE
    ? Result.fail(invalid(file, "leaderElection.resourceLock", 'resourceLock value must be "leases"'))
    : Result.succeed({
        leaderElect: flags["leader-elect"],
        leaseDurationMs: flags["leader-elect-lease-duration"],
        renewDeadlineMs: flags["leader-elect-renew-deadline"],
        retryPeriodMs: flags["leader-elect-retry-period"],
        resourceName: flags["leader-elect-resource-name"],
        resourceNamespace: flags["leader-elect-resource-namespace"],
        ...withoutFlags(fields, fileSettings, given),
        resourceLock: LOCK_TYPE
      })
