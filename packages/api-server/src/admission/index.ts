import type { DynamicAdmissionPlan } from "../core/ports/DynamicAdmission.ts"
import { defineExpressions } from "./expressions.ts"
import { type PodSecurityOptions, podSecurity } from "./podSecurity/plugin.ts"
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./policies/plugins.ts"
import { webhookPlugins } from "./webhooks/plugins.ts"

export type { DynamicAdmissionPlan, DynamicAdmissionSource } from "../core/ports/DynamicAdmission.ts"

export interface DynamicAdmissionOptions extends PodSecurityOptions {
  /** The names of plugins that do not run (`--disable-admission-plugins`). */
  readonly disabled?: ReadonlyArray<string>
}

/** Returns the plan for `ApiServer.layer` by which stored policies and webhooks, and the labels of namespaces, act. */
export const dynamicAdmission = ({
  disabled = [],
  ...options
}: DynamicAdmissionOptions = {}): DynamicAdmissionPlan => ({
  define: defineExpressions,
  make: (source) =>
    [
      ...podSecurity(options, source),
      mutatingAdmissionPolicy(source),
      validatingAdmissionPolicy(source),
      ...webhookPlugins(source)
    ].filter(({ name }) => !disabled.includes(name))
})
