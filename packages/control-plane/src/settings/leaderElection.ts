import { type LeaderElectionTimes, leaderElectionProblem, leaderElectionTimes } from "@rollcall/cluster"
import { booleanValue, durationValue, type Given, type InvalidInput, invalid, setting } from "@rollcall/input"
import * as Result from "effect/Result"

/** How the processes of a component agree on the one that works. */
export interface LeaderElectionPlan extends LeaderElectionTimes {
  /** False: every process works, as soon as it runs. */
  readonly leaderElect: boolean
}

/** What of a component's configuration is about its election; `path` is where its file has it. Upstream: component-base/config. */
export const leaderElectionSettings = (path: string) => ({
  leaderElect: setting(booleanValue, { flag: "leader-elect", path: `${path}.leaderElect` }, () => true),
  leaseDurationMs: setting(
    durationValue,
    { flag: "leader-elect-lease-duration", path: `${path}.leaseDuration` },
    () => leaderElectionTimes.leaseDurationMs
  ),
  renewDeadlineMs: setting(
    durationValue,
    { flag: "leader-elect-renew-deadline", path: `${path}.renewDeadline` },
    () => leaderElectionTimes.renewDeadlineMs
  ),
  retryPeriodMs: setting(
    durationValue,
    { flag: "leader-elect-retry-period", path: `${path}.retryPeriod` },
    () => leaderElectionTimes.retryPeriodMs
  )
})

/** What a component is told of its election. */
export interface LeaderElectionSettings extends Given<ReturnType<typeof leaderElectionSettings>> {}

/** The election of a component, as far as it is not told otherwise; refuses times that the component would not start with. */
export const planLeaderElection = (
  file: string,
  path: string,
  given: LeaderElectionSettings,
  byDefault: boolean
): Result.Result<LeaderElectionPlan, InvalidInput> => {
  const {
    leaderElect = byDefault,
    leaseDurationMs = leaderElectionTimes.leaseDurationMs,
    renewDeadlineMs = leaderElectionTimes.renewDeadlineMs,
    retryPeriodMs = leaderElectionTimes.retryPeriodMs
  } = given
  const election = { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs }
  const problem = leaderElect ? leaderElectionProblem(election) : undefined
  return problem === undefined ? Result.succeed(election) : Result.fail(invalid(file, path, problem))
}
