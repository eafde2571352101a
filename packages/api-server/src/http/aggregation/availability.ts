import type { APIService, EndpointSlice, Service } from "@rollcall/api"

/** What the condition Available says. */
export interface Judgement {
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** What the condition of an APIService depends on besides the answer of its server. */
export interface Backing {
  readonly service: Service | undefined
  readonly slices: ReadonlyArray<EndpointSlice>
}

const no = (reason: string, message: string): Judgement => ({ status: "False", reason, message })

/** Whether some slice has a ready endpoint, and a port of this name. */
const hasAvailableEndpoint = (portName: string, slices: ReadonlyArray<EndpointSlice>): boolean =>
  slices.some(
    ({ endpoints, ports }) =>
      endpoints?.some(({ conditions }) => conditions?.ready !== false) === true &&
      ports?.some(({ name, port }) => (name ?? "") === portName && port !== undefined) === true
  )

/**
 * Returns why an APIService is not available, as far as the objects of the cluster say; undefined if its server is to be
 * asked. Upstream: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go, sync.
 */
export const objectsFault = ({ spec }: APIService, { service, slices }: Backing): Judgement | undefined => {
  const { name = "", namespace = "", port = 443 } = spec?.service ?? {}
  const of = `service/${name} in ${JSON.stringify(namespace)}`
  if (service === undefined) return no("ServiceNotFound", `${of} is not present`)
  if (service.spec?.type !== undefined && service.spec.type !== "ClusterIP") return undefined
  const servicePort = service.spec?.ports?.find((each) => each.port === port)
  if (servicePort === undefined) return no("ServicePortError", `${of} is not listening on port ${port}`)
  if (slices.length === 0) return no("EndpointsNotFound", `cannot find endpointslices for ${of}`)
  const portName = servicePort.name ?? ""
  if (hasAvailableEndpoint(portName, slices)) return undefined
  return no("MissingEndpoints", `endpointslices for ${of} have no addresses with port name ${JSON.stringify(portName)}`)
}

export const failedCheck = (why: string): Judgement => no("FailedDiscoveryCheck", why)

export const passed: Judgement = { status: "True", reason: "Passed", message: "all checks passed" }

export const local: Judgement = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available"
}

/** Returns the APIService with the condition, or itself if it has that. Upstream: SetAPIServiceCondition. */
export const withAvailable = (apiService: APIService, judgement: Judgement, now: string): APIService => {
  const conditions = apiService.status?.conditions ?? []
  const before = conditions.find(({ type }) => type === "Available")
  const { message, reason, status } = judgement
  if (before?.status === status && before.reason === reason && before.message === message) return apiService
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now
  const condition = { type: "Available", status, lastTransitionTime, reason, message }
  const others = before === undefined ? [...conditions, condition] : undefined
  return {
    ...apiService,
    status: {
      ...apiService.status,
      conditions: others ?? conditions.map((each) => (each === before ? condition : each))
    }
  }
}
