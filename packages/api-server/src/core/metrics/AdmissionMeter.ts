import type { Distribution } from "@rollcall/time"
import { admissionFamilies } from "./admissionFamilies.ts"
import type { ServerMetrics } from "./ServerMetrics.ts"

export type AdmissionStep = "admit" | "validate"

/** Distributions of what was accepted and of what was rejected, each made when it is first needed. */
class Outcomes {
  private readonly make: (rejected: string) => ReadonlyArray<Distribution>
  private accepted: ReadonlyArray<Distribution> | undefined
  private rejected: ReadonlyArray<Distribution> | undefined

  constructor(make: (rejected: string) => ReadonlyArray<Distribution>) {
    this.make = make
  }

  observe(milliseconds: number, isRejected: boolean): void {
    if (isRejected) this.rejected ??= this.make("true")
    else this.accepted ??= this.make("false")
    const distributions = (isRejected ? this.rejected : this.accepted) as ReadonlyArray<Distribution>
    for (let at = 0; at < distributions.length; at++) distributions[at]?.observe(milliseconds / 1000)
  }
}

/** Measures the plugins of a chain, one by one and together. */
export class AdmissionMeter {
  /** Returns real time in milliseconds. */
  readonly now: () => number
  private readonly plugins: Readonly<Record<AdmissionStep, ReadonlyArray<Outcomes>>>
  private readonly steps: Readonly<Record<AdmissionStep, Outcomes>>

  constructor({ now, set }: ServerMetrics, operation: string, names: ReadonlyArray<string>) {
    const controllers = set.distributions(admissionFamilies.controllers)
    const histogram = set.distributions(admissionFamilies.steps)
    const summary = set.distributions(admissionFamilies.stepSummaries)
    const pluginsOf = (type: AdmissionStep) =>
      names.map((name) => new Outcomes((rejected) => [controllers.with({ name, operation, type, rejected })]))
    const stepOf = (type: AdmissionStep) =>
      new Outcomes((rejected) => {
        const labels = { operation, type, rejected }
        return [histogram.with(labels), summary.with(labels)]
      })
    this.now = now
    this.plugins = { admit: pluginsOf("admit"), validate: pluginsOf("validate") }
    this.steps = { admit: stepOf("admit"), validate: stepOf("validate") }
  }

  /** Records that a plugin, which began at `sinceMs`, is done. Returns the time, at which the next one begins. */
  plugin(type: AdmissionStep, index: number, sinceMs: number, isRejected: boolean): number {
    const now = this.now()
    this.plugins[type][index]?.observe(now - sinceMs, isRejected)
    return now
  }

  /** Records how long all plugins took. */
  step(type: AdmissionStep, milliseconds: number, isRejected: boolean): void {
    this.steps[type].observe(milliseconds, isRejected)
  }
}
