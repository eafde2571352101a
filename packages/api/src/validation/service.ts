import type { Service, ServicePort, ServiceSpec } from "../objects/Service.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateIP } from "./ip.ts"
import { validateLabels } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPortName,
  isValidPortNumber,
  nameIsDNS1035Label,
  rangeText
} from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateServiceCreate and ValidateServiceUpdate. */

const options = { namespaced: true, name: nameIsDNS1035Label, standardFinalizers: true } as const

const protocols = ["SCTP", "TCP", "UDP"]

const checkPort = (errors: ErrorList, port: ServicePort, needsName: boolean, headless: boolean, at: string): void => {
  const { appProtocol, name = "", protocol = "", targetPort = 0 } = port
  if (needsName && name === "") errors.required(`${at}.name`)
  else if (name !== "") errors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
  errors.invalidEach(`${at}.port`, port.port, isValidPortNumber(port.port))
  if (protocol === "") errors.required(`${at}.protocol`)
  else if (!protocols.includes(protocol)) errors.notSupported(`${at}.protocol`, protocol, protocols)
  const faults = typeof targetPort === "number" ? isValidPortNumber(targetPort) : isValidPortName(targetPort)
  // A headless service does not proxy, and may leave its target ports unset.
  if (!(headless && targetPort === 0)) errors.invalidEach(`${at}.targetPort`, targetPort, faults)
  if (appProtocol !== undefined) errors.invalidEach(`${at}.appProtocol`, appProtocol, isQualifiedName(appProtocol))
}

const checkPorts = (errors: ErrorList, spec: ServiceSpec, headless: boolean): void => {
  const ports = spec.ports ?? []
  if (ports.length === 0 && !headless && spec.type !== "ExternalName") errors.required("spec.ports")
  const names = new Set<string>()
  ports.forEach((port, index) => {
    const at = `spec.ports[${index}]`
    checkPort(errors, port, ports.length > 1, headless, at)
    if (port.name === undefined || port.name === "") return
    if (names.has(port.name)) errors.duplicate(`${at}.name`, port.name)
    names.add(port.name)
  })
}

/** Checks that no two ports have the same number and protocol, and likewise for node ports. */
const checkDistinctPorts = (errors: ErrorList, spec: ServiceSpec): void => {
  const ports = new Set<string>()
  const nodePorts = new Set<string>()
  spec.ports?.forEach(({ nodePort = 0, port, protocol = "" }, index) => {
    if (spec.type === "ClusterIP" && nodePort !== 0) {
      errors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")
    }
    if (nodePort !== 0) {
      const key = `${protocol}/${nodePort}`
      if (nodePorts.has(key)) errors.duplicate(`spec.ports[${index}].nodePort`, nodePort)
      nodePorts.add(key)
    }
    const key = `${protocol}/${port}`
    if (ports.has(key)) {
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
      errors.duplicate(`spec.ports[${index}]`, shown)
    }
    ports.add(key)
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

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]
const policies = ["Cluster", "Local"]

const checkTrafficPolicies = (errors: ErrorList, spec: ServiceSpec): void => {
  const { externalTrafficPolicy: external = "", internalTrafficPolicy: internal = "", type } = spec
  const reachable =
    type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0)
  if (!reachable) {
    if (external !== "") {
      errors.invalid("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services")
    }
  } else if (external === "") errors.required("spec.externalTrafficPolicy")
  else if (!policies.includes(external)) errors.notSupported("spec.externalTrafficPolicy", external, policies)
  if (type === "ExternalName") return
  if (internal === "") errors.required("spec.internalTrafficPolicy")
  else if (!policies.includes(internal)) errors.notSupported("spec.internalTrafficPolicy", internal, policies)
}

const checkAddresses = (errors: ErrorList, spec: ServiceSpec): void => {
  const { clusterIPs = [], externalIPs = [] } = spec
  if (spec.type === "ExternalName") {
    if (clusterIPs.length > 0) errors.forbidden("spec.clusterIPs", "may not be set for ExternalName services")
  } else if (clusterIPs[0] !== "None") {
    clusterIPs.forEach((ip, index) => {
      validateIP(errors, ip, `spec.clusterIPs[${index}]`)
    })
  } else if (clusterIPs.length > 1) {
    errors.invalid("spec.clusterIPs", clusterIPs, "'None' must be the first and only value")
  }
  externalIPs.forEach((ip, index) => {
    validateIP(errors, ip, `spec.externalIPs[${index}]`)
  })
}

const checkSpec = (errors: ErrorList, spec: ServiceSpec): void => {
  const { externalName = "", healthCheckNodePort = 0, type = "" } = spec
  const headless = spec.clusterIPs?.[0] === "None"
  checkPorts(errors, spec, headless)
  if (type === "") errors.required("spec.type")
  else if (!types.includes(type)) errors.notSupported("spec.type", type, types)
  if (type === "ExternalName") {
    const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName
    if (name === "") errors.required("spec.externalName")
    else errors.invalidEach("spec.externalName", name, isDNS1123Subdomain(name))
  }
  validateLabels(errors, spec.selector, "spec.selector")
  checkAffinity(errors, spec)
  checkAddresses(errors, spec)
  checkDistinctPorts(errors, spec)
  checkTrafficPolicies(errors, spec)
  if (healthCheckNodePort < 0 || healthCheckNodePort > 65_535) {
    errors.invalid("spec.healthCheckNodePort", healthCheckNodePort, rangeText(1, 65_535))
  }
}

export const validateService = (service: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, service.metadata, options)
  checkSpec(errors, service.spec ?? {})
  return errors.all
}

const unchangeableMessage = "may not change once set"

export const validateServiceUpdate = (service: Service, old: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, service.metadata, old.metadata)
  const { clusterIPs = [], ipFamilies = [], type } = service.spec ?? {}
  const { clusterIPs: stored = [], ipFamilies: storedFamilies = [], type: storedType } = old.spec ?? {}
  // Only ExternalName services have no address, so those may gain and lose one.
  if (storedType !== "ExternalName" && type !== "ExternalName" && stored.length > 0) {
    if (clusterIPs.length === 0) errors.invalid("spec.clusterIPs[0]", clusterIPs, "primary clusterIP can not be unset")
    else if (clusterIPs[0] !== stored[0]) errors.invalid("spec.clusterIPs[0]", clusterIPs, unchangeableMessage)
    if (ipFamilies.length > 0 && storedFamilies.length > 0 && ipFamilies[0] !== storedFamilies[0]) {
      errors.invalid("spec.ipFamilies[0]", ipFamilies, unchangeableMessage)
    }
  }
  errors.append(validateService(service))
  return errors.all
}

export const validateServiceStatusUpdate = (service: Service, old: Service): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, service.metadata, old.metadata)
  return errors.all
}
