import { type LeaderElectionTimes, leaderElectionProblem, leaderElectionTimes } from "@rollcall/cluster"
import { booleanValue, durationValue, type Given, type InvalidInput, invalid, setting } from "@rollcall/input"
import * as Result from "effect/Result"

/** The leader election of a component. */
export interface LeaderElectionPlan extends LeaderElectionTimes {
  /** Whether the processes elect a leader; if not, every process works as soon as it runs. */
  readonly leaderElect: boolean
}

/**
 * Returns the leader election settings of a component; `path` is their field in its file. Upstream:
 * component-base/config.
 */
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

/** The given leader election settings of a component. */
export interface LeaderElectionSettings extends Given<ReturnType<typeof leaderElectionSettings>> {}

/**
 * Returns the leader election of a component with its defaults. Fails for times with which the component would not
 * start. `byDefault` is the value of `leaderElect` if it is not given.
 */
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
