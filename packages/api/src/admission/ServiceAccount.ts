import * as Result from "effect/Result"
import type { Pod } from "../objects/Pod.ts"
import { annotationConfigMirror } from "../wellKnown.ts"

/**
 * The account that a new pod runs as: the one that it names, else `default`, which must exist in its namespace. The failure
 * is the text of the refusal. Mounting the account's token is not part of this.
 * Upstream: plugin/pkg/admission/serviceaccount/admission.go.
 */
export const withServiceAccount = (
  pod: Pod,
  namespace: string,
  exists: (name: string) => boolean
): Result.Result<Pod, string> => {
  const given = pod.spec.serviceAccountName || pod.spec.serviceAccount || ""
  if (pod.metadata.annotations?.[annotationConfigMirror] !== undefined) {
    // A kubelet made it, without asking anybody: it must not reach for what only the API can grant.
    return given === "" ? Result.succeed(pod) : Result.fail("a mirror pod may not reference service accounts")
  }
  const name = given || "default"
  if (!exists(name)) {
    return Result.fail(`error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`)
  }
  if (pod.spec.serviceAccountName === name && pod.spec.serviceAccount === name) return Result.succeed(pod)
  return Result.succeed({ ...pod, spec: { ...pod.spec, serviceAccountName: name, serviceAccount: name } })
}
