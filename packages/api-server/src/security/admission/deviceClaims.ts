import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceClaimTemplate
} from "@rollcall/api"
import { ErrorList, equalAs, semanticEqual } from "@rollcall/api/validation"
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReader } from "../../core/admission/Admission.ts"
import { authorizationRefusal } from "../../core/ports/authorizationRefusal.ts"
import type { Authorizer, RequestAttributes } from "../../core/ports/Security.ts"

/** Upstream: staging/src/k8s.io/api/resource/v1/types.go. */
const adminLabel = "resource.kubernetes.io/admin-access"

/** Refuses administrative access in a namespace that may not have it. Upstream: AuthorizedForAdmin. */
const checkAdmin = (errors: ErrorList, reader: AdmissionReader, namespace: string, at: string): void => {
  if (reader.get("Namespace", "", namespace)?.metadata.labels?.[adminLabel] === "true") return
  errors.forbidden(at, `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`)
}

const firstAdmin = (results: ReadonlyArray<DeviceRequestAllocationResult> | undefined): number =>
  results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1

const checkRequests = (errors: ErrorList, reader: AdmissionReader, attributes: AdmissionAttributes): void => {
  const { kind, namespace, object } = attributes
  const spec = kind === "ResourceClaim" ? (object as ResourceClaim).spec : (object as ResourceClaimTemplate).spec.spec
  const index = spec.devices?.requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1
  if (index >= 0) checkAdmin(errors, reader, namespace, `spec.devices.requests[${index}].adminAccess`)
}

type Asked = Pick<RequestAttributes, "name" | "namespace" | "subresource" | "verb">

/** Returns why the user may not use the subresource, or undefined. */
const accessRefusal = (
  authorizer: Authorizer,
  { resource, userInfo: user }: AdmissionAttributes,
  asked: Asked
): string | undefined => {
  const { group, plural, version } = resource
  const request: RequestAttributes = { user, ...asked, isResource: true, path: "", group, version, resource: plural }
  const decision = authorizer.authorize(request)
  return decision.decision === "Allow" ? undefined : authorizationRefusal(request, decision).message
}

/** The verb of the request, for which the user needs the right: an update that a patch asks for is a patch. */
const verbOf = ({ exchange }: AdmissionAttributes): "patch" | "update" =>
  exchange?.request.verb === "patch" ? "patch" : "update"

type Check = (errors: ErrorList, authorizer: Authorizer, attributes: AdmissionAttributes) => void

interface Statuses {
  readonly status: ResourceClaimStatus
  readonly stored: ResourceClaimStatus
}

const statusesOf = ({ object, oldObject }: AdmissionAttributes): Statuses => ({
  status: (object as ResourceClaim).status ?? {},
  stored: (oldObject as ResourceClaim).status ?? {}
})

/** Only who may bind claims decides what is allocated and for whom. Upstream: AuthorizedForBinding. */
const checkBinding: Check = (errors, authorizer, attributes) => {
  const { status, stored } = statusesOf(attributes)
  if (
    equalAs("resource.v1.AllocationResult", status.allocation, stored.allocation) &&
    semanticEqual(status.reservedFor ?? [], stored.reservedFor ?? [])
  ) {
    return
  }
  const verb = verbOf(attributes)
  const asked = { verb, subresource: "binding", namespace: "", name: "" }
  const why = accessRefusal(authorizer, attributes, asked)
  if (why === undefined) return
  const what = 'changing status.allocation or status.reservedFor requires resource="resourceclaims/binding"'
  errors.forbidden("status.allocation", `${what}, verb="${verb}" permission: ${why}`)
}

const deviceKey = ({ device, driver, pool, shareID = "" }: AllocatedDeviceStatus): string =>
  [driver, pool, device, shareID].join("\n")

const modifiedDrivers = ({ status, stored }: Statuses): ReadonlyArray<string> => {
  const before = new Map((stored.devices ?? []).map((device) => [deviceKey(device), device]))
  const drivers = new Set<string>()
  for (const device of status.devices ?? []) {
    const key = deviceKey(device)
    if (!equalAs("resource.v1.AllocatedDeviceStatus", before.get(key), device)) drivers.add(device.driver)
    before.delete(key)
  }
  for (const { driver } of before.values()) drivers.add(driver)
  return [...drivers].toSorted()
}

/** Returns the only node that has the allocated devices, or undefined. Upstream: nodeNameFromAllocation. */
const nodeOf = ({ allocation }: ResourceClaimStatus): string | undefined => {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const { matchExpressions = [], matchFields = [] } = terms[0] ?? {}
  const [field] = matchFields
  if (terms.length !== 1 || matchExpressions.length > 0 || matchFields.length !== 1 || field === undefined) {
    return undefined
  }
  return field.key === "metadata.name" && field.operator === "In" && field.values?.length === 1
    ? field.values[0]
    : undefined
}

const isOnNode = ({ userInfo }: AdmissionAttributes, node: string | undefined): boolean => {
  const nodes = userInfo.extra?.["authentication.kubernetes.io/node-name"] ?? []
  return (
    node !== undefined && userInfo.user.startsWith("system:serviceaccount:") && nodes.length === 1 && nodes[0] === node
  )
}

/** Only a driver describes its devices. Upstream: AuthorizedForDeviceStatus. */
const checkDrivers: Check = (errors, authorizer, attributes) => {
  const statuses = statusesOf(attributes)
  if (statuses.status.allocation === undefined) return
  const verb = verbOf(attributes)
  const anywhere = `arbitrary-node:${verb}`
  const verbs = isOnNode(attributes, nodeOf(statuses.status)) ? [`associated-node:${verb}`, anywhere] : [anywhere]
  for (const name of modifiedDrivers(statuses)) {
    const refusals = verbs.map((verb) =>
      accessRefusal(authorizer, attributes, { verb, subresource: "driver", namespace: attributes.namespace, name })
    )
    if (refusals.includes(undefined)) continue
    const what = `changing status.devices requires resource="resourceclaims/driver", verb=${JSON.stringify(`[${verbs.join(" ")}]`)}`
    errors.forbidden("status.devices", `${what} permission: ${refusals[0]}`)
  }
}

const checkAdminStatus = (errors: ErrorList, reader: AdmissionReader, attributes: AdmissionAttributes): void => {
  const { status, stored } = statusesOf(attributes)
  if (firstAdmin(stored.allocation?.devices?.results) >= 0) return
  const index = firstAdmin(status.allocation?.devices?.results)
  const at = `status.allocation.devices.results[${index}].adminAccess`
  if (index >= 0) checkAdmin(errors, reader, attributes.namespace, at)
}

const kinds: ReadonlySet<string> = new Set(["ResourceClaim", "ResourceClaimTemplate"])

/**
 * Who may claim devices for administration, allocate them and describe them. Upstream: pkg/registry/resource/utils.go,
 * which the strategies call.
 */
export const deviceClaims = (authorizer: Authorizer): AdmissionPlugin => ({
  name: "device claims",
  admits: (kind, verb, subresource) =>
    kinds.has(kind) &&
    (subresource === undefined
      ? verb === "create"
      : kind === "ResourceClaim" && verb === "update" && subresource === "status"),
  check: (attributes, { reader }) => {
    const errors = new ErrorList()
    if (attributes.subresource === undefined) checkRequests(errors, reader, attributes)
    else {
      checkAdminStatus(errors, reader, attributes)
      checkBinding(errors, authorizer, attributes)
      checkDrivers(errors, authorizer, attributes)
    }
    return errors.all
  }
})
