import type { ScalingRules } from "@rollcall/api"
import type { AutoscalerConfig } from "./metrics.ts"
import { toInt32 } from "./podMetrics.ts"

/** Upstream: pkg/controller/podautoscaler/horizontal.go. */

interface Recommendation {
  readonly replicas: number
  readonly at: number
}

interface Change {
  readonly replicas: number
  readonly at: number
}

/** A number of replicas, and why it is this one. */
export interface Limited {
  readonly replicas: number
  readonly reason: string
  readonly message: string
}

const within: Pick<Limited, "reason" | "message"> = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range"
}
const tooFast = (direction: "increasing" | "decreasing") =>
  `the desired replica count is ${direction} faster than the maximum scale rate`
const tooMany = "the desired replica count is more than the maximum replica count"
const tooFew = "the desired replica count is less than the minimum replica count"

/** The rules of both directions, and the bounds of an autoscaler. */
export interface Bounds {
  readonly current: number
  readonly min: number
  readonly max: number
}

export interface BehaviorRules {
  readonly up: ScalingRules
  readonly down: ScalingRules
}

const changedIn = (changes: ReadonlyArray<Change>, seconds: number, now: number): number =>
  changes.filter(({ at }) => at > now - seconds * 1000).reduce((sum, { replicas }) => sum + replicas, 0)

const longestPeriod = ({ policies = [] }: ScalingRules): number =>
  Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds))

/** What the controller remembers of one autoscaler: recent recommendations and changes. */
export class History {
  private recommendations: Array<Recommendation> | undefined
  private ups: Array<Change> = []
  private downs: Array<Change> = []

  /** Records the number of replicas that the workload has at first. */
  begin(replicas: number, now: number): void {
    this.recommendations ??= [{ replicas, at: now }]
  }

  /** Adds a recommendation; it takes the place of the last one that is too old, so that their number is bounded. */
  private recommend(replicas: number, now: number, isOld: (at: number) => boolean): void {
    const all = this.recommendations ?? []
    const old = all.findLastIndex(({ at }) => isOld(at))
    if (old >= 0) all[old] = { replicas, at: now }
    else all.push({ replicas, at: now })
    this.recommendations = all
  }

  /** Returns the highest recommendation of the window, and remembers this one. Upstream: stabilizeRecommendation. */
  stabilize(desired: number, now: number, windowMs: number): number {
    const cutoff = now - windowMs
    const recent = (this.recommendations ?? []).filter(({ at }) => at >= cutoff)
    this.recommend(desired, now, (at) => at < cutoff)
    return Math.max(desired, ...recent.map(({ replicas }) => replicas))
  }

  /** Does the same by the windows of both directions. Upstream: stabilizeRecommendationWithBehaviors. */
  stabilizeByRules(desired: number, { down, up }: BehaviorRules, current: number, now: number): Limited {
    const [upCutoff, downCutoff] = [up, down].map(
      ({ stabilizationWindowSeconds = 0 }) => now - stabilizationWindowSeconds * 1000
    ) as [number, number]
    const all = this.recommendations ?? []
    const since = (cutoff: number) => all.filter(({ at }) => at > cutoff).map(({ replicas }) => replicas)
    const lowest = Math.min(desired, ...since(upCutoff))
    const highest = Math.max(desired, ...since(downCutoff))
    this.recommend(desired, now, (at) => at < upCutoff && at < downCutoff)
    const replicas = Math.min(Math.max(current, lowest), highest)
    return desired >= current
      ? {
          replicas,
          reason: "ScaleUpStabilized",
          message: "recent recommendations were lower than current one, applying the lowest recent recommendation"
        }
      : {
          replicas,
          reason: "ScaleDownStabilized",
          message: "recent recommendations were higher than current one, applying the highest recent recommendation"
        }
  }

  /** Remembers a change of the workload, by whose rules the next ones are limited. Upstream: storeScaleEvent. */
  changed(before: number, after: number, { down, up }: BehaviorRules, now: number): void {
    const add = (changes: Array<Change>, replicas: number, rules: ScalingRules) => {
      const cutoff = now - longestPeriod(rules) * 1000
      const old = changes.findLastIndex(({ at }) => at < cutoff)
      if (old >= 0) changes[old] = { replicas, at: now }
      else changes.push({ replicas, at: now })
    }
    if (after > before) add(this.ups, after - before, up)
    else add(this.downs, before - after, down)
  }

  private limitBy(rules: ScalingRules, current: number, now: number, direction: 1 | -1): number {
    const { policies = [], selectPolicy } = rules
    if (selectPolicy === "Disabled") return current
    const proposals = policies.map(({ periodSeconds, type, value }) => {
      const start = current - changedIn(this.ups, periodSeconds, now) + changedIn(this.downs, periodSeconds, now)
      if (type === "Pods") return start + direction * value
      return direction === 1 ? toInt32(Math.ceil(start * (1 + value / 100))) : toInt32(start * (1 - value / 100))
    })
    // The smallest change of an increase is the lowest proposal; of a decrease the highest.
    const wantsLowest = (selectPolicy === "Min") === (direction === 1)
    return wantsLowest ? Math.min(2 ** 31 - 1, ...proposals) : Math.max(-(2 ** 31), ...proposals)
  }

  /** Limits a change by the policies. Upstream: convertDesiredReplicasWithBehaviorRate. */
  limitByRules(desired: number, { current, max, min }: Bounds, { down, up }: BehaviorRules, now: number): Limited {
    if (desired > current) {
      const limit = Math.max(this.limitBy(up, current, now, 1), current)
      if (desired <= Math.min(max, limit)) return { replicas: desired, ...within }
      return max > limit
        ? { replicas: limit, reason: "ScaleUpLimit", message: tooFast("increasing") }
        : { replicas: max, reason: "TooManyReplicas", message: tooMany }
    }
    if (desired < current) {
      const limit = Math.min(this.limitBy(down, current, now, -1), current)
      if (desired >= Math.max(min, limit)) return { replicas: desired, ...within }
      return min < limit
        ? { replicas: limit, reason: "ScaleDownLimit", message: tooFast("decreasing") }
        : { replicas: min, reason: "TooFewReplicas", message: tooFew }
    }
    return { replicas: desired, ...within }
  }
}

/** Limits a change without behavior. Upstream: convertDesiredReplicasWithRules. */
export const limitByDefault = (
  desired: number,
  { current, max, min }: Bounds,
  { scaleUpFactor, scaleUpMinimum }: Pick<AutoscalerConfig, "scaleUpFactor" | "scaleUpMinimum">
): Limited => {
  const limit = Math.trunc(Math.max(scaleUpFactor * current, scaleUpMinimum))
  if (desired < min) return { replicas: min, reason: "TooFewReplicas", message: tooFew }
  if (desired <= Math.min(max, limit)) return { replicas: desired, ...within }
  return max > limit
    ? { replicas: limit, reason: "ScaleUpLimit", message: tooFast("increasing") }
    : { replicas: max, reason: "TooManyReplicas", message: tooMany }
}
