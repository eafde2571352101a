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
const LOCK = "leases"

/** The leader election fields of a component's configuration file, below `path`. Upstream: component-base/config. */
export const leaderElectionFields = (path: string) => ({
  ...leaderElectionSettings(path),
  resourceLock: setting(
    textValue,
    { flag: "leader-elect-resource-lock", path: `${path}.resourceLock` },
    (): string => LOCK
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

/** Resolves the leader election of a component: a flag overrides the file, and the file overrides the flag's default. */
export const electionSettings = (
  file: string,
  said: Given<typeof fields>,
  flags: LeaderFlags,
  given: ReadonlySet<string>
): Result.Result<ElectionSettings, InvalidInput> =>
  said.resourceLock !== undefined && said.resourceLock !== LOCK
    ? Result.fail(invalid(file, "leaderElection.resourceLock", 'resourceLock value must be "leases"'))
    : Result.succeed({
        leaderElect: flags["leader-elect"],
        leaseDurationMs: flags["leader-elect-lease-duration"],
        renewDeadlineMs: flags["leader-elect-renew-deadline"],
        retryPeriodMs: flags["leader-elect-retry-period"],
        resourceName: flags["leader-elect-resource-name"],
        resourceNamespace: flags["leader-elect-resource-namespace"],
        ...withoutFlags(fields, said, given),
        resourceLock: LOCK
      })
