import { lifeDifferences } from "../differences.ts"
import { type KubeletRequest, NODE } from "../Life.ts"
import type { NodeLife } from "./NodeLife.ts"

const isRead = ({ verb }: KubeletRequest): boolean => ["get", "list", "watch"].includes(verb)

/** A kubelet that has not heard yet of the mirror that it has made may ask for it again. */
const isAskedAgain = ({ code, resource, verb }: KubeletRequest): boolean =>
  verb === "create" && resource === "pods" && code === 409

/**
 * What the machine of a node is, the hash of a manifest that has its name, and what has no effect: the owners of fields that a renewal
 * sends back, and what a new pod never has.
 */
const isOfMachine = (path: string): boolean =>
  /^(status\.(allocatable|capacity|daemonEndpoints|images|nodeInfo)|metadata\.(managedFields|annotations\.kubernetes\.io\/config\.(hash|mirror)))$/.test(
    path
  )

const isOfNewPod = (path: string, { resource, verb }: KubeletRequest): boolean =>
  verb === "create" && resource === "pods" && /^(status|metadata\.uid)$/.test(path)

/** By which `kubectl describe node` finds an Event: the kubelet of 1.36 leaves it out, kubernetes/kubernetes#138524. */
const isUidOfNode = (path: string, fields: object): boolean =>
  path === "involvedObject.uid" && (fields as { readonly kind?: string }).kind === "Node"

const without = (value: unknown, path: string, request: KubeletRequest): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, `${path}[]`, request))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`
    const isHidden = isOfMachine(at) || isUidOfNode(at, value) || isOfNewPod(at, request)
    return isHidden ? [] : [[name, without(inner, at, request)]]
  })
  return Object.fromEntries(kept)
}

/** Returns a request as that of any node: its name is replaced where it is a word, or the end of a mirror pod's name. */
const ofAnyNode = (request: KubeletRequest, node: string): KubeletRequest => {
  const name = new RegExp(`(?<=["\\s(/-])${node}(?=["\\s)/.])`, "g")
  const { body, ...rest } = JSON.parse(JSON.stringify(request).replace(name, NODE)) as KubeletRequest
  return body === undefined ? rest : { ...rest, body: without(body, "", request) }
}

/** How soon after its start a kubelet has registered its Node. */
const REGISTERED_SECONDS = 12

interface Conditions {
  readonly count?: number
  readonly message?: string
  readonly status?: { readonly conditions?: ReadonlyArray<{ readonly type: string; readonly reason?: string }> }
}

/**
 * What only the genuine kubelet does when it registers its Node. It is Ready once its CSINode is there, some 0.2 s later, which is an
 * Event too; here it is Ready at once, and who has volumes makes the CSINode. It also computes the conditions twice, with the same Events.
 */
const isOfRegistration = ({ at, body, resource, verb }: KubeletRequest, { steps }: NodeLife): boolean => {
  const { count = 0, message = "", status: { conditions = [] } = {} } = (body ?? {}) as Conditions
  if (resource === "csinodes") return true
  const isSoon = steps.some(
    (step) => "process" in step && step.process === "start" && at >= step.at && at <= step.at + REGISTERED_SECONDS
  )
  if (!isSoon) return false
  if (resource === "events") return count >= 2 && verb === "patch" && /: NodeHas\w+$/.test(message)
  if (resource !== "nodes/status") return false
  const changed = conditions.filter((one) => "status" in one)
  return changed.length === 1 && changed[0]?.type === "Ready" && changed[0].reason === "KubeletReady"
}

/** An Event NodeReady that comes later is counted on from the one of the registration, which is left out. */
const isReadyEvent = ({ body, resource }: KubeletRequest): boolean =>
  resource === "events" && ((body ?? {}) as Conditions).message?.endsWith(": NodeReady") === true

/** Returns a registration without the condition that differs for that reason. */
const withoutReady = (request: KubeletRequest): KubeletRequest => {
  if (request.verb !== "create" || request.resource !== "nodes") return request
  const { status, ...body } = request.body as Conditions & object
  const conditions = status?.conditions?.filter(({ type }) => type !== "Ready")
  return { ...request, body: { ...body, status: { ...status, conditions } } }
}

/** Returns what a request is about, so that the requests about one object are compared in their order. */
const subjectOf = ({ name, resource }: KubeletRequest): string => {
  const [kind = ""] = resource.split("/")
  return `${kind} ${kind === "events" ? name.slice(0, name.lastIndexOf(".")) : name}`
}

const requestsBySubject = ({ node, requests }: NodeLife, isLeftOut: (request: KubeletRequest) => boolean) => {
  const told = requests.filter((one) => !isRead(one) && !isAskedAgain(one) && !isReadyEvent(one) && !isLeftOut(one))
  return Map.groupBy(
    told.map((one) => withoutReady(ofAnyNode(one, node))),
    subjectOf
  )
}

/** Returns the lines in which two lives of a node differ, object by object: requests about different objects have no fixed order. */
export const nodeDifferences = (genuine: NodeLife, ours: NodeLife): ReadonlyArray<string> => {
  const left = requestsBySubject(genuine, (one) => isOfRegistration(one, genuine))
  const right = requestsBySubject(ours, () => false)
  const part = (all: typeof left, name: string) => ({
    name,
    seconds: genuine.seconds,
    steps: [],
    node: NODE,
    requests: all.get(name) ?? []
  })
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((subject) =>
    lifeDifferences(part(left, subject), part(right, subject))
  )
}
