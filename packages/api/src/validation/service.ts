import type { Service, ServicePort, ServiceSpec } from "../objects/Service.ts"
import { isExternallyAccessible, isHeadless, needsHealthCheck } from "../services.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { parseIP, validateCIDR, validateEndpointIP, validateIP } from "./ip.ts"
import { validateLabels } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPortName,
  isValidPortNumber,
  nameIsDNSLabel
} from "./names.ts"
import { validateChangedClusterIPs, validateClusterIPs } from "./serviceAddresses.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateServiceCreate, ValidateServiceUpdate and ValidateServiceStatusUpdate. */

const options = { namespaced: true, name: nameIsDNSLabel, standardFinalizers: true } as const

const protocols = ["SCTP", "TCP", "UDP"]

const checkPort = (errors: ErrorList, port: ServicePort, needsName: boolean, names: Set<string>, at: string): void => {
  const { appProtocol, name = "", protocol = "", targetPort = 0 } = port
  if (name !== "") {
    errors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    if (names.has(name)) errors.duplicate(`${at}.name`, name)
    names.add(name)
  } else if (needsName) errors.required(`${at}.name`)
  errors.invalidEach(`${at}.port`, port.port, isValidPortNumber(port.port))
  if (protocol === "") errors.required(`${at}.protocol`)
  else if (!protocols.includes(protocol)) errors.notSupported(`${at}.protocol`, protocol, protocols)
  const faults = typeof targetPort === "number" ? isValidPortNumber(targetPort) : isValidPortName(targetPort)
  errors.invalidEach(`${at}.targetPort`, targetPort, faults)
  if (appProtocol !== undefined) errors.invalidEach(`${at}.appProtocol`, appProtocol, isQualifiedName(appProtocol))
}

/** Checks what the fields of the type ask for: ports, an address, a name. */
const checkType = (errors: ErrorList, spec: ServiceSpec): void => {
  const { clusterIPs = [], externalName = "", ipFamilies = [], ports = [], type } = spec
  const headless = isHeadless(spec)
  if (ports.length === 0 && !headless && type !== "ExternalName") errors.required("spec.ports")
  if (headless && (type === "LoadBalancer" || type === "NodePort")) {
    errors.invalid("spec.clusterIPs[0]", clusterIPs[0], `may not be set to 'None' for ${type} services`)
  }
  if (type !== "ExternalName") return
  const unsetMessage = "may not be set for ExternalName services"
  if (clusterIPs.length > 0) errors.forbidden("spec.clusterIPs", unsetMessage)
  if (ipFamilies.length > 0) errors.forbidden("spec.ipFamilies", unsetMessage)
  if (spec.ipFamilyPolicy !== undefined) errors.forbidden("spec.ipFamilyPolicy", unsetMessage)
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName
  if (name === "") errors.required("spec.externalName")
  else errors.invalidEach("spec.externalName", name, isDNS1123Subdomain(name))
}

/** Checks that no two ports have the same number and protocol, and likewise for node ports. */
const checkDistinctPorts = (errors: ErrorList, { ports = [], type }: ServiceSpec): void => {
  ports.forEach(({ nodePort = 0 }, index) => {
    if (type === "ClusterIP" && nodePort !== 0) {
      errors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")
    }
  })
  const nodePorts = new Set<string>()
  ports.forEach(({ nodePort = 0, protocol = "" }, index) => {
    if (nodePort === 0) return
    const key = `${protocol}/${nodePort}`
    if (nodePorts.has(key)) errors.duplicate(`spec.ports[${index}].nodePort`, nodePort)
    nodePorts.add(key)
  })
  const numbers = new Set<string>()
  ports.forEach(({ port, protocol = "" }, index) => {
    const key = `${protocol}/${port}`
    if (numbers.has(key)) {
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
      errors.duplicate(`spec.ports[${index}]`, shown)
    }
    numbers.add(key)
  })
}

const affinities = ["ClientIP", "None"]
const ONE_DAY = 86_400

const checkAffinity = (errors: ErrorList, { sessionAffinity = "", sessionAffinityConfig }: ServiceSpec): void => {
  if (sessionAffinity === "") errors.required("spec.sessionAffinity")
  else if (!affinities.includes(sessionAffinity)) {
    errors.notSupported("spec.sessionAffinity", sessionAffinity, affinities)
  }
  const path = "spec.sessionAffinityConfig"
  if (sessionAffinity === "ClientIP") {
    const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds
    const at = `${path}.clientIP.timeoutSeconds`
    if (seconds === undefined) errors.required(at, "when session affinity type is ClientIP")
    else if (seconds <= 0 || seconds > ONE_DAY) {
      errors.invalid(at, seconds, `must be greater than 0 and less than ${ONE_DAY}`)
    }
  } else if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    errors.forbidden(path, "must not be set when session affinity is None")
  }
}

const checkExternalIPs = (errors: ErrorList, { externalIPs = [] }: ServiceSpec, old: ServiceSpec | undefined): void => {
  const stored = new Set(old?.externalIPs)
  externalIPs.forEach((ip, index) => {
    const path = `spec.externalIPs[${index}]`
    const before = errors.size
    validateIP(errors, ip, path, stored)
    if (errors.size === before) validateEndpointIP(errors, ip, path)
  })
}

const unbalancedMessage = "may only be used when `type` is 'LoadBalancer'"
const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

/** Checks the ranges of a load balancer's clients, in the field or in the annotation that preceded it. */
const checkSourceRanges = (errors: ErrorList, service: Service, old: Service | undefined): void => {
  const { loadBalancerSourceRanges: ranges = [], type } = service.spec ?? {}
  const isBalanced = type === "LoadBalancer"
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges"
    if (!isBalanced) errors.forbidden(path, unbalancedMessage)
    const stored = new Set(old?.spec?.loadBalancerSourceRanges?.map((range) => range.trim()))
    ranges.forEach((range, index) => void validateCIDR(errors, range.trim(), `${path}[${index}]`, stored))
    return
  }
  const given = service.metadata.annotations?.[rangesAnnotation]
  if (given === undefined) return
  const path = `metadata.annotations[${rangesAnnotation}]`
  if (!isBalanced) errors.forbidden(path, unbalancedMessage)
  if (given.trim() === "" || old?.metadata.annotations?.[rangesAnnotation] === given) return
  for (const range of given.trim().split(",")) validateCIDR(errors, range.trim(), path)
}

const checkBalancerClass = (errors: ErrorList, { loadBalancerClass, type }: ServiceSpec): void => {
  if (loadBalancerClass === undefined) return
  if (type !== "LoadBalancer") errors.forbidden("spec.loadBalancerClass", unbalancedMessage)
  else errors.invalidEach("spec.loadBalancerClass", loadBalancerClass, isQualifiedName(loadBalancerClass))
}

/** Checks the fields that only a load balancer has. */
const checkBalancer = (errors: ErrorList, spec: ServiceSpec): void => {
  const isBalanced = spec.type === "LoadBalancer"
  if (spec.allocateLoadBalancerNodePorts === undefined) {
    if (isBalanced) errors.required("allocateLoadBalancerNodePorts")
  } else if (!isBalanced) errors.forbidden("spec.allocateLoadBalancerNodePorts", unbalancedMessage)
  checkBalancerClass(errors, spec)
}

const policies = ["Cluster", "Local"]

const checkExternalPolicy = (errors: ErrorList, spec: ServiceSpec): void => {
  const { externalTrafficPolicy: policy = "", healthCheckNodePort: port = 0 } = spec
  const path = "spec.externalTrafficPolicy"
  if (!isExternallyAccessible(spec)) {
    if (policy !== "") errors.invalid(path, typed(policy), "may only be set for externally-accessible services")
  } else if (policy === "") errors.required(path)
  else if (!policies.includes(policy)) errors.notSupported(path, policy, policies)
  const portPath = "spec.healthCheckNodePort"
  if (needsHealthCheck(spec)) {
    if (port === 0) errors.required(portPath)
    else errors.invalidEach(portPath, port, isValidPortNumber(port))
  } else if (port !== 0) {
    const message = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.invalid(portPath, port, message)
  }
}

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"]

const checkPolicies = (errors: ErrorList, spec: ServiceSpec): void => {
  checkExternalPolicy(errors, spec)
  const { internalTrafficPolicy: policy, trafficDistribution, type = "" } = spec
  const path = "spec.internalTrafficPolicy"
  if (policy !== undefined) {
    if (!policies.includes(policy)) errors.notSupported(path, policy, policies)
  } else if (type !== "ExternalName" && types.includes(type)) errors.required(path)
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    errors.notSupportedText("spec.trafficDistribution", trafficDistribution, distributions)
  }
}

const topologyMode = "service.kubernetes.io/topology-mode"
const topologyHints = "service.kubernetes.io/topology-aware-hints"

const checkTopology = (errors: ErrorList, { metadata: { annotations = {} } }: Service): void => {
  const [mode, hints] = [annotations[topologyMode], annotations[topologyHints]]
  if (mode === undefined || hints === undefined || mode === hints) return
  const message = `must match annotations[${topologyHints}] when both are specified`
  errors.invalid(`metadata.annotations[${topologyMode}]`, mode, message)
}

const checkService = (errors: ErrorList, service: Service, old: Service | undefined): void => {
  const spec = service.spec ?? {}
  const { ports = [], type = "" } = spec
  checkTopology(errors, service)
  checkType(errors, spec)
  const names = new Set<string>()
  ports.forEach((port, index) => void checkPort(errors, port, ports.length > 1, names, `spec.ports[${index}]`))
  validateLabels(errors, spec.selector, "spec.selector")
  checkAffinity(errors, spec)
  validateClusterIPs(errors, spec, old?.spec)
  checkExternalIPs(errors, spec, old?.spec)
  if (type === "") errors.required("spec.type")
  else if (!types.includes(type)) errors.notSupported("spec.type", type, types)
  checkDistinctPorts(errors, spec)
  checkSourceRanges(errors, service, old)
  checkBalancer(errors, spec)
  checkPolicies(errors, spec)
}

export const validateService = (service: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, service.metadata, options)
  checkService(errors, service, undefined)
  return errors.all
}

export const validateServiceUpdate = (service: Service, old: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, service.metadata, old.metadata, options)
  const [spec, stored] = [service.spec ?? {}, old.spec ?? {}]
  validateChangedClusterIPs(errors, spec, stored)
  const wasBalanced = stored.type === "LoadBalancer"
  if (wasBalanced && spec.type === "LoadBalancer" && spec.loadBalancerClass !== stored.loadBalancerClass) {
    errors.invalid("spec.loadBalancerClass", typed(spec.loadBalancerClass), "may not change once set")
  }
  checkBalancerClass(errors, spec)
  if (needsHealthCheck(spec) && needsHealthCheck(stored) && spec.healthCheckNodePort !== stored.healthCheckNodePort) {
    errors.forbidden("spec.healthCheckNodePort", "field is immutable")
  }
  checkService(errors, service, old)
  return errors.all
}

const ipModes = ["Proxy", "VIP"]

/** Checks the addresses at which a load balancer is reached. Upstream: ValidateLoadBalancerStatus. */
export const validateServiceStatusUpdate = (service: Service, old: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, service.metadata, old.metadata, options)
  const ingress = service.status?.loadBalancer?.ingress ?? []
  const path = "status.loadBalancer.ingress"
  if (service.spec?.type !== "LoadBalancer") {
    if (ingress.length > 0) errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")
    return errors.all
  }
  const stored = new Set(old.status?.loadBalancer?.ingress?.map(({ ip = "" }) => ip).filter((ip) => ip !== ""))
  ingress.forEach(({ hostname = "", ip = "", ipMode }, index) => {
    const at = `${path}[${index}]`
    if (ip !== "") validateIP(errors, ip, `${at}.ip`, stored)
    if (ipMode === undefined) {
      if (ip !== "") errors.required(`${at}.ipMode`, "must be specified when `ip` is set")
    } else if (ip === "") errors.forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set")
    else if (!ipModes.includes(ipMode)) errors.notSupported(`${at}.ipMode`, ipMode, ipModes)
    if (hostname === "") return
    errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Subdomain(hostname))
    if (parseIP(hostname) !== undefined) {
      errors.invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address")
    }
  })
  return errors.all
}
