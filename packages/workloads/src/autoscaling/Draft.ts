import {
  type AutoscalerCondition,
  type AutoscalerStatus,
  formatTime,
  type HorizontalPodAutoscaler,
  type MetricStatus
} from "@rollcall/api"

export type Condition = Pick<AutoscalerCondition, "type" | "status" | "reason" | "message">

/** The status of an autoscaler during a reconcile. */
export class Draft {
  readonly before: AutoscalerStatus
  private conditions: ReadonlyArray<AutoscalerCondition>
  private readonly now: string

  constructor({ status = {} }: HorizontalPodAutoscaler, now: number) {
    this.before = status
    this.conditions = status.conditions ?? []
    this.now = formatTime(now)
  }

  condition(given: Condition): void {
    const known = this.conditions.find(({ type }) => type === given.type)
    const isSame = known?.status === given.status
    const lastTransitionTime = isSame ? (known.lastTransitionTime ?? null) : this.now
    const next = { ...given, lastTransitionTime }
    this.conditions =
      known === undefined ? [...this.conditions, next] : this.conditions.map((one) => (one === known ? next : one))
  }

  without(type: string): void {
    if (this.conditions.some((one) => one.type === type))
      this.conditions = this.conditions.filter((one) => one.type !== type)
  }

  /** Returns the status before with the conditions alone. */
  get withConditions(): AutoscalerStatus {
    const { currentMetrics } = this.before
    // An empty list, as which null is read, would count as a change of the field.
    return {
      ...this.before,
      currentMetrics: currentMetrics?.length ? currentMetrics : null,
      conditions: this.conditions
    }
  }

  status(
    current: number,
    desired: number,
    metrics: ReadonlyArray<MetricStatus> | null,
    rescaled: boolean
  ): AutoscalerStatus {
    const { lastScaleTime } = this.before
    const scaledAt = rescaled ? this.now : lastScaleTime
    return {
      ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
      currentReplicas: current,
      desiredReplicas: desired,
      currentMetrics: metrics,
      conditions: this.conditions
    }
  }
}
