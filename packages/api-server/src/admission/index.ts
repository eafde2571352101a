import {
  type DynamicPlugin,
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  webhookPlugins
} from "@rollcall/dynamic-admission"
import type { ChainPlugin } from "../core/admission/Admission.ts"
import type { DynamicAdmissionPlan, DynamicAdmissionSource } from "../core/ports/DynamicAdmission.ts"
import { defineExpressions } from "./expressions.ts"
import { type PodSecurityOptions, podSecurity } from "./podSecurity/plugin.ts"

export type { DynamicAdmissionPlan, DynamicAdmissionSource } from "../core/ports/DynamicAdmission.ts"

export interface DynamicAdmissionOptions extends PodSecurityOptions {
  /** The names of plugins that do not run (`--disable-admission-plugins`). */
  readonly disabled?: ReadonlyArray<string>
}

const inChain = ({ mutate, ...plugin }: DynamicPlugin): ChainPlugin => ({
  ...plugin,
  ...(mutate && { mutate: (attributes, _context, reinvocation) => mutate(attributes, reinvocation) })
})

const pluginsOf = (source: DynamicAdmissionSource): ReadonlyArray<DynamicPlugin> => [
  mutatingAdmissionPolicy(source),
  validatingAdmissionPolicy(source),
  ...webhookPlugins(source, async () => {
    const { WebhookClient } = await import("@rollcall/dynamic-admission/client")
    return new WebhookClient(source.registry, source.timers)
  })
]

/** Returns the plan for `ApiServer.layer` by which stored policies and webhooks, and the labels of namespaces, act. */
export const dynamicAdmission = ({
  disabled = [],
  ...options
}: DynamicAdmissionOptions = {}): DynamicAdmissionPlan => ({
  define: defineExpressions,
  make: (source) =>
    [...podSecurity(options, source), ...pluginsOf(source).map(inChain)].filter(({ name }) => !disabled.includes(name))
})
