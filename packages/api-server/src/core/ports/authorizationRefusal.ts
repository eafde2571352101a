import { forbidden, type Status } from "@rollcall/api"
import type { Decision, RequestAttributes } from "./Security.ts"

/**
 * Returns the 403 of a request that is not allowed.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 */
export const authorizationRefusal = (request: RequestAttributes, { reason }: Decision): Status => {
  const why = reason === "" ? refusalText(request) : `${refusalText(request)}: ${reason}`
  const about = request.isResource ? { group: request.group, resource: request.resource } : { group: "", resource: "" }
  return forbidden(about, request.isResource ? request.name : "", why)
}

const refusalText = (request: RequestAttributes): string => {
  const who = `User ${JSON.stringify(request.user.user)} cannot ${request.verb}`
  if (!request.isResource) return `${who} path ${JSON.stringify(request.path)}`
  const { group, namespace, resource, subresource } = request
  const what = subresource === "" ? resource : `${resource}/${subresource}`
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`
  return `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`
}
