import { type KubeObject, matchesLabelSelector, type ParamKind, type ParamRef } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionKindState, AdmissionKinds } from "../ports.ts"

/** Returns the kind of parameters; fails with what errors say if it is not served. */
export const paramStateOf = (
  registry: AdmissionKinds,
  paramKind: ParamKind
): Result.Result<AdmissionKindState, string> => {
  const { apiVersion = "", kind = "" } = paramKind
  const slash = apiVersion.indexOf("/")
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)]
  for (const state of registry.states()) {
    const { hidden, resource } = state.definition
    if (hidden !== true && resource.group === group && resource.version === version && resource.kind === kind) {
      return Result.succeed(state)
    }
  }
  return Result.fail(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`)
}

type Params = ReadonlyArray<KubeObject | undefined>

/** Without parameters a policy is evaluated once. */
const none: Params = [undefined]

/**
 * Returns the parameters of a binding for a request in a namespace, or why there are none. Upstream:
 * plugin/policy/generic/policy_dispatcher.go, CollectParams.
 */
export const collectParams = (
  state: AdmissionKindState | undefined,
  reference: ParamRef | undefined,
  requestNamespace: string
): Result.Result<Params, string> => {
  if (state === undefined || reference === undefined) return Result.succeed(none)
  const { name = "", namespace = "", parameterNotFoundAction, selector } = reference
  const isNamespaced = state.definition.resource.namespaced
  const from = isNamespaced ? namespace || requestNamespace : ""
  if (isNamespaced && from === "") {
    return Result.fail("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
  }
  if (!isNamespaced && namespace !== "") {
    return Result.fail("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
  }
  const found: Array<KubeObject> = []
  const named = name === "" ? undefined : state.cache.get(from, name)
  if (named !== undefined) found.push(named.object)
  else if (name === "" && selector !== undefined) {
    state.cache.visit(isNamespaced ? from : undefined, (object) => {
      if (matchesLabelSelector(selector, object.metadata.labels)) found.push(object)
    })
  }
  return found.length === 0 && parameterNotFoundAction === "Deny"
    ? Result.fail("no params found for policy binding with `Deny` parameterNotFoundAction")
    : Result.succeed(found)
}
