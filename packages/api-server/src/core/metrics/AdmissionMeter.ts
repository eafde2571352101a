import type { Distribution } from "@rollcall/time"
import { admissionFamilies } from "./admissionFamilies.ts"
import type { ServerMetrics } from "./ServerMetrics.ts"

export type AdmissionStep = "admit" | "validate"

/** The distributions of one plugin, or of all: accepted, and rejected. */
export interface StepDistributions {
  readonly accepted: Distribution
  /** Made when it is first needed. */
  readonly rejected: () => Distribution
}

/** Measures admission plugins, one by one and together. */
export class AdmissionMeter {
  readonly now: () => number
  private readonly set: ServerMetrics["set"]

  constructor({ now, set }: ServerMetrics) {
    this.now = now
    this.set = set
  }

  /** Returns what measures one plugin. */
  plugin(name: string, operation: string, type: AdmissionStep): StepDistributions {
    const family = this.set.distributions(admissionFamilies.controllers)
    const labels = { name, operation, type }
    return {
      accepted: family.with({ ...labels, rejected: "false" }),
      rejected: () => family.with({ ...labels, rejected: "true" })
    }
  }

  /** Returns a function that records one step of a write, in seconds. */
  step(operation: string, type: AdmissionStep): (seconds: number, isRejected: boolean) => void {
    const histogram = this.set.distributions(admissionFamilies.steps)
    const summary = this.set.distributions(admissionFamilies.stepSummaries)
    const seriesOf = (rejected: string) => {
      const labels = { operation, type, rejected }
      return [histogram.with(labels), summary.with(labels)] as const
    }
    const accepted = seriesOf("false")
    return (seconds, isRejected) => {
      const [steps, sums] = isRejected ? seriesOf("true") : accepted
      steps.observe(seconds)
      sums.observe(seconds)
    }
  }
}
