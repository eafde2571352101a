import type { Configuration } from "@rollcall/pod-security"
import type { AdmissionReader } from "../../core/admission/Admission.ts"
import type { PodSecurityMetrics } from "./PodSecurityMetrics.ts"

/** What decisions depend on, besides the write. */
export interface Rules {
  readonly configuration: Configuration
  /** The newest minor version of the checks that the server's release knows. */
  readonly minor: number
  readonly reader: AdmissionReader
  readonly metrics: PodSecurityMetrics
  /** Returns real time in milliseconds. */
  readonly now: () => number
}

/** Whether pods of this runtime class are exempt. */
export const isExempt = ({ configuration }: Rules, runtimeClass: string | undefined): boolean =>
  Boolean(runtimeClass) && configuration.exemptions.runtimeClasses.includes(runtimeClass ?? "")
