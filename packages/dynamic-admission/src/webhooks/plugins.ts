import { lazily } from "@rollcall/time"
import * as Result from "effect/Result"
import { isExempt } from "../handled.ts"
import type { AdmissionSource, DynamicPlugin, WebhookCaller } from "../ports.ts"
import { subjectOf } from "../Subject.ts"
import type { Caller } from "./callWebhook.ts"
import { Hooks } from "./Hooks.ts"

/** Makes the plugins that call webhooks. The caller loads when the first webhook exists. Upstream: plugin/webhook. */
export const webhookPlugins = (
  source: AdmissionSource,
  loadCaller: () => Promise<WebhookCaller>
): ReadonlyArray<DynamicPlugin> => {
  const mutating = new Hooks(source.registry, "MutatingWebhookConfiguration")
  const validating = new Hooks(source.registry, "ValidatingWebhookConfiguration")
  let made: Caller | undefined
  const load = lazily(() =>
    Promise.all([import("./mutate.ts"), import("./validate.ts"), import("./WebhookMetrics.ts"), loadCaller()])
  )
  const loaded = function* () {
    const [{ mutate }, { validate }, { WebhookMetrics }, client] = yield* load()
    made ??= { source, client, metrics: new WebhookMetrics(source.metrics) }
    return { mutate, validate, caller: made }
  }
  return [
    {
      name: "MutatingAdmissionWebhook",
      admits: () => true,
      isIdle: () => mutating.isEmpty,
      *mutate(attributes, reinvocation) {
        if (isExempt(attributes.resource)) return Result.succeed(attributes.object)
        const { caller, mutate } = yield* loaded()
        return yield* mutate(caller, attributes, mutating.all, reinvocation)
      }
    },
    {
      name: "ValidatingAdmissionWebhook",
      admits: () => true,
      isIdle: () => validating.isEmpty,
      *validate(attributes) {
        if (isExempt(attributes.resource)) return undefined
        const { caller, validate } = yield* loaded()
        const subject = subjectOf(attributes, source.registry)
        return yield* validate(caller, subject, validating.all, attributes.exchange)
      }
    }
  ]
}
