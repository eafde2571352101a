import { type LeaderElectionTimes, leaderElectionProblem, leaderElectionTimes } from "@rollcall/cluster"
import { type InvalidInput, invalid, type Setting, type SettingValues } from "@rollcall/input"
import * as Result from "effect/Result"

/** How the processes of a component agree on the one that works. */
export interface LeaderElectionPlan extends LeaderElectionTimes {
  /** False: every process works, as soon as it runs. */
  readonly leaderElect: boolean
}

/** What of a component's configuration is about its election; `path` is where its file has it. */
export const leaderElectionSettings = (path: string): ReadonlyArray<Setting> => [
  { key: "leaderElect", flag: "leader-elect", path: `${path}.leaderElect`, type: "boolean" },
  { key: "leaseDurationMs", flag: "leader-elect-lease-duration", path: `${path}.leaseDuration`, type: "duration" },
  { key: "renewDeadlineMs", flag: "leader-elect-renew-deadline", path: `${path}.renewDeadline`, type: "duration" },
  { key: "retryPeriodMs", flag: "leader-elect-retry-period", path: `${path}.retryPeriod`, type: "duration" }
]

const ownKeys: ReadonlySet<string> = new Set(leaderElectionSettings("").map(({ key }) => key))

const milliseconds = (value: SettingValues[string] | undefined, fallback: number): number =>
  typeof value === "number" ? value : fallback

/** Parts what a component is told into its election and the rest; refuses times that the component would not start with. */
export const planLeaderElection = (
  file: string,
  path: string,
  values: SettingValues,
  byDefault: boolean
): Result.Result<{ readonly election: LeaderElectionPlan; readonly rest: SettingValues }, InvalidInput> => {
  const election: LeaderElectionPlan = {
    leaderElect: typeof values.leaderElect === "boolean" ? values.leaderElect : byDefault,
    leaseDurationMs: milliseconds(values.leaseDurationMs, leaderElectionTimes.leaseDurationMs),
    renewDeadlineMs: milliseconds(values.renewDeadlineMs, leaderElectionTimes.renewDeadlineMs),
    retryPeriodMs: milliseconds(values.retryPeriodMs, leaderElectionTimes.retryPeriodMs)
  }
  const problem = election.leaderElect ? leaderElectionProblem(election) : undefined
  if (problem !== undefined) return Result.fail(invalid(file, path, problem))
  const rest = Object.fromEntries(Object.entries(values).filter(([key]) => !ownKeys.has(key)))
  return Result.succeed({ election, rest })
}
