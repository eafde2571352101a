import type { DynamicAdmissionPlan } from "../core/ports/DynamicAdmission.ts"
import { defineExpressions } from "./expressions.ts"
import { validatingAdmissionPolicy } from "./policies/plugins.ts"

export type { DynamicAdmissionPlan, DynamicAdmissionSource } from "../core/ports/DynamicAdmission.ts"

export interface DynamicAdmissionOptions {
  /** The names of plugins that do not run (`--disable-admission-plugins`). */
  readonly disabled?: ReadonlyArray<string>
}

/** Returns the plan for `ApiServer.layer` by which the stored admission policies act. */
export const dynamicAdmission = ({ disabled = [] }: DynamicAdmissionOptions = {}): DynamicAdmissionPlan => ({
  define: defineExpressions,
  make: (source) => [validatingAdmissionPolicy(source)].filter(({ name }) => !disabled.includes(name))
})
