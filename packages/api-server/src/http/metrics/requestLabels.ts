import type { RequestInfo } from "../request/RequestInfo.ts"

/** How a request that is not about a resource is counted. Other paths, such as `/metrics`, are not. */
export interface MonitoredPath {
  readonly subresource: string
  /** `apiserver`, or nothing for paths that are not of the API itself. */
  readonly component?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
}

/** The labels of a request, as most families have them. */
export interface RequestLabels {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  readonly component: string
}

/** Methods that are counted by their names; others are `other`. */
const methods: ReadonlySet<string> = new Set(["POST", "PUT", "DELETE", "PATCH"])

/** Subresources through which clients connect to something else. */
const connected: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"])

const COMPONENT = "apiserver"
const APPLY_TYPE = "application/apply-patch+yaml"

/** Returns the verb by which a request is counted. Upstream: endpoints/metrics, CanonicalVerb and cleanVerb. */
export const reportedVerb = (info: RequestInfo, method: string, contentType: string | undefined): string => {
  const { isResource, subresource, verb } = info
  if (isResource && connected.has(subresource)) return "CONNECT"
  if (verb === "watch") return "WATCH"
  if (method === "GET" || method === "HEAD") {
    const scope = scopeOf(info)
    return scope === "resource" || scope === "" ? "GET" : "LIST"
  }
  if (method === "PATCH" && contentType === APPLY_TYPE) return "APPLY"
  return methods.has(method) ? method : "other"
}

/** Returns what a request covers. Upstream: endpoints/metrics, CleanScope. */
export const scopeOf = ({ isResource, name, namespace, verb }: RequestInfo): string => {
  if (name !== "" || verb === "create") return "resource"
  if (namespace !== "") return "namespace"
  return isResource ? "cluster" : ""
}

/** Returns the labels of a request; undefined if it is not counted. */
export const labelsOf = (
  info: RequestInfo,
  verb: string,
  monitored: MonitoredPath | undefined
): RequestLabels | undefined => {
  if (info.isResource) {
    const { group, resource, subresource, version } = info
    return { verb, group, version, resource, subresource, scope: scopeOf(info), component: COMPONENT }
  }
  if (monitored === undefined) return undefined
  const { component = "", group = "", resource = "", subresource, version = "" } = monitored
  return { verb, group, version, resource, subresource, scope: "", component }
}

const dryRunAll = "All"

/** Returns the value of the label `dry_run`. Upstream: endpoints/metrics, cleanDryRun. */
export const dryRunLabel = (values: ReadonlyArray<string>): string => {
  if (values.length === 0) return ""
  return values.every((value) => value === dryRunAll) ? dryRunAll : "invalid"
}

const validations: ReadonlySet<string> = new Set(["", "Ignore", "Warn", "Strict"])

/** Returns the value of the label `field_validation`. Upstream: endpoints/metrics, cleanFieldValidation. */
export const fieldValidationLabel = (values: ReadonlyArray<string>): string => {
  const [value = ""] = values
  return values.length > 1 || !validations.has(value) ? "invalid" : value
}

const knownUsers: ReadonlySet<string> = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default"
])

/** Returns the class of a user, of which there are few. Upstream: endpoints/filters/metrics.go, compressUsername. */
export const userClass = (user: string): string => {
  if (knownUsers.has(user)) return user
  return user.includes("@") ? "email_id" : "other"
}
