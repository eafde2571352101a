import * as Result from "effect/Result"
import type { Pod } from "../objects/Pod.ts"
import { goQuote } from "../validation/goQuote.ts"
import { resourceNameFault } from "../validation/names.ts"
import { annotationConfigMirror } from "../wellKnown.ts"

/**
 * Sets the service account of a new pod: the one in its spec, otherwise `default`, which must exist in its namespace.
 * The failure is the message of the rejection. Mounting the account's token is done elsewhere. Upstream:
 * plugin/pkg/admission/serviceaccount/admission.go.
 */
export const withServiceAccount = (
  pod: Pod,
  namespace: string,
  exists: (name: string) => boolean
): Result.Result<Pod, string> => {
  const given = pod.spec.serviceAccountName || pod.spec.serviceAccount || ""
  if (pod.metadata.annotations?.[annotationConfigMirror] !== undefined) {
    // A kubelet creates a mirror pod without asking the API: it must not refer to objects that only the API can grant.
    return given === "" ? Result.succeed(pod) : Result.fail("a mirror pod may not reference service accounts")
  }
  const name = given || "default"
  if (!exists(name)) {
    const why = resourceNameFault(name) ?? `serviceaccount ${goQuote(name)} not found`
    return Result.fail(`error looking up service account ${namespace}/${name}: ${why}`)
  }
  if (pod.spec.serviceAccountName === name && pod.spec.serviceAccount === name) return Result.succeed(pod)
  return Result.succeed({ ...pod, spec: { ...pod.spec, serviceAccountName: name, serviceAccount: name } })
}
