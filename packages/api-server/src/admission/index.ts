import type { DynamicAdmissionPlan } from "../core/ports/DynamicAdmission.ts"
import { defineExpressions } from "./expressions.ts"
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./policies/plugins.ts"
import { webhookPlugins } from "./webhooks/plugins.ts"

export type { DynamicAdmissionPlan, DynamicAdmissionSource } from "../core/ports/DynamicAdmission.ts"

export interface DynamicAdmissionOptions {
  /** The names of plugins that do not run (`--disable-admission-plugins`). */
  readonly disabled?: ReadonlyArray<string>
}

/** Returns the plan for `ApiServer.layer` by which the stored admission policies and webhooks act. */
export const dynamicAdmission = ({ disabled = [] }: DynamicAdmissionOptions = {}): DynamicAdmissionPlan => ({
  define: defineExpressions,
  make: (source) =>
    [mutatingAdmissionPolicy(source), validatingAdmissionPolicy(source), ...webhookPlugins(source)].filter(
      ({ name }) => !disabled.includes(name)
    )
})
