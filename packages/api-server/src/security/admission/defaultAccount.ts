import { annotationConfigMirror, type KubeObject, type Pod, type Status } from "@rollcall/api"
import { type Steps, type TimersShape, waitFor } from "@rollcall/time"
import type * as Result from "effect/Result"
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionPlugin,
  ChainPlugin
} from "../../core/admission/Admission.ts"

/** How often the account is looked for, and the mean of upstream's random interval. */
const ATTEMPTS = 10
const INTERVAL_MS = 150

/** Whether a new pod uses the account `default`, which its namespace does not have yet. */
const lacksDefault = ({ namespace, object, verb }: AdmissionAttributes, { reader }: AdmissionContext): boolean => {
  if (verb !== "create") return false
  const { metadata, spec } = object as Pod
  const name = spec.serviceAccountName || spec.serviceAccount || "default"
  const isMirror = metadata.annotations?.[annotationConfigMirror] !== undefined
  return name === "default" && !isMirror && reader.get("ServiceAccount", namespace, name) === undefined
}

/**
 * Lets pods wait for the account `default`, which a controller creates soon after their namespace. Upstream:
 * plugin/pkg/admission/serviceaccount/admission.go getServiceAccount.
 */
export const waitingForDefault = (
  plugin: AdmissionPlugin & Required<Pick<AdmissionPlugin, "mutate">>,
  after: TimersShape["after"]
): ChainPlugin => {
  const mutateLater = function* (
    attributes: AdmissionAttributes,
    context: AdmissionContext
  ): Steps<Result.Result<KubeObject | undefined, Status>> {
    for (let attempt = 1; attempt < ATTEMPTS && lacksDefault(attributes, context); attempt++)
      yield* waitFor<void>((done) => after(INTERVAL_MS, done))
    return plugin.mutate(attributes, context)
  }
  return {
    ...plugin,
    mutate: (attributes, context) =>
      lacksDefault(attributes, context) ? mutateLater(attributes, context) : plugin.mutate(attributes, context)
  }
}
