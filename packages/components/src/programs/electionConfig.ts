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

/** Leases are the only locks that there are. */
const LOCK = "leases"

/** What a component's configuration says of leader election; `path` is where its file has it. Upstream: component-base/config. */
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

/** How a component elects the one of its processes that works. */
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

/** The election of a component: what a flag does not say is as in its file, and else as the flag's default has it. */
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
