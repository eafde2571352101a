import type { HTTPIngressPath, Ingress, IngressBackend, IngressSpec } from "../objects/Ingress.ts"
import { ErrorList } from "./ErrorList.ts"
import { checkReference } from "./ingressClass.ts"
import { parseIP, validateIP } from "./ip.ts"
import { makeRules } from "./makeRules.ts"
import {
  isDNS1123Subdomain,
  isValidPortName,
  isValidPortNumber,
  isWildcardDNS1123Subdomain,
  nameIsDNSLabel,
  nameIsDNSSubdomain
} from "./names.ts"

/** Upstream: pkg/apis/networking/validation/validation.go. */

const isWildcard = (host: string): boolean => host.includes("*")

const checkHost = (errors: ErrorList, host: string, at: string): void =>
  errors.invalidEach(at, host, isWildcard(host) ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host))

const checkNoIP = (errors: ErrorList, host: string, at: string): void => {
  if (parseIP(host) !== undefined) errors.invalid(at, host, "must be a DNS name, not an IP address")
}

type Service = NonNullable<IngressBackend["service"]>

const checkService = (
  errors: ErrorList,
  { name, port: { name: portName = "", number = 0 } = {} }: Service,
  at: string
) => {
  if (name === "") errors.required(`${at}.service.name`)
  else errors.invalidEach(`${at}.service.name`, name, nameIsDNSLabel(name, false))
  if (portName !== "" && number !== 0) errors.invalid(at, "", "cannot set both port name & port number")
  else if (portName !== "") errors.invalidEach(`${at}.service.port.name`, portName, isValidPortName(portName))
  else if (number !== 0) errors.invalidEach(`${at}.service.port.number`, number, isValidPortNumber(number))
  else errors.required(at, "port name or number is required")
}

const checkBackend = (errors: ErrorList, { resource, service }: IngressBackend, at: string): void => {
  if (resource !== undefined && service !== undefined) {
    errors.invalid(at, "", "cannot set both resource and service backends")
  } else if (resource !== undefined) checkReference(errors, resource, `${at}.resource`)
  else if (service !== undefined) checkService(errors, service, at)
  else errors.invalid(at, "", "resource or service backend is required")
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"]
const invalidSequences = ["//", "/./", "/../", "%2f", "%2F"]
const invalidEnds = ["/..", "/."]

const checkPath = (errors: ErrorList, { backend, path = "", pathType }: HTTPIngressPath, at: string): void => {
  if (pathType === undefined) {
    errors.required(`${at}.pathType`, "pathType must be specified")
    return
  }
  const isExact = pathType === "Exact" || pathType === "Prefix"
  if (!pathTypes.includes(pathType)) errors.notSupported(`${at}.pathType`, pathType, pathTypes)
  else if (!path.startsWith("/") && (isExact || path !== "")) {
    errors.invalid(`${at}.path`, path, "must be an absolute path")
  }
  if (isExact) {
    for (const part of invalidSequences) {
      if (path.includes(part)) errors.invalid(`${at}.path`, path, `must not contain '${part}'`)
    }
    for (const end of invalidEnds) {
      if (path.endsWith(end)) errors.invalid(`${at}.path`, path, `cannot end with '${end}'`)
    }
  }
  checkBackend(errors, backend, `${at}.backend`)
}

type Rule = NonNullable<IngressSpec["rules"]>[number]

const checkPaths = (errors: ErrorList, { http }: Rule, at: string): void => {
  if (http === undefined) return
  const { paths = [] } = http
  if (paths.length === 0) errors.required(`${at}.http.paths`)
  paths.forEach((path, index) => void checkPath(errors, path, `${at}.http.paths[${index}]`))
}

/** Whether the stored object has a rule that was accepted before these were checked. */
const hadInvalidWildcardRule = (old: Ingress | undefined): boolean =>
  old?.spec?.rules?.some((rule) => {
    const errors = new ErrorList()
    if (isWildcard(rule.host ?? "")) checkPaths(errors, rule, "")
    return errors.size > 0
  }) ?? false

const secretNameFaults = (name = "") => (name === "" ? [] : nameIsDNSSubdomain(name, false))

const hadInvalidSecret = (old: Ingress | undefined): boolean =>
  old?.spec?.tls?.some(({ secretName }) => secretNameFaults(secretName).length > 0) ?? false

const checkTLS = (errors: ErrorList, tls: NonNullable<IngressSpec["tls"]>, old: Ingress | undefined): void => {
  const skipsSecrets = hadInvalidSecret(old)
  tls.forEach(({ hosts = [], secretName = "" }, index) => {
    const at = `spec.tls[${index}]`
    hosts.forEach((host, at2) => void checkHost(errors, host, `${at}.hosts[${at2}]`))
    if (!skipsSecrets) errors.invalidEach(`${at}.secretName`, secretName, secretNameFaults(secretName))
  })
}

const checkSpec = (errors: ErrorList, spec: IngressSpec, old: Ingress | undefined): void => {
  const { defaultBackend, ingressClassName: className, rules = [], tls = [] } = spec
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified")
  }
  if (defaultBackend !== undefined) checkBackend(errors, defaultBackend, "spec.defaultBackend")
  const skipsWildcards = rules.length > 0 && hadInvalidWildcardRule(old)
  rules.forEach((rule, index) => {
    const { host = "" } = rule
    const at = `spec.rules[${index}]`
    if (host !== "") {
      checkNoIP(errors, host, `${at}.host`)
      checkHost(errors, host, `${at}.host`)
    }
    if (!isWildcard(host) || !skipsWildcards) checkPaths(errors, rule, at)
  })
  checkTLS(errors, tls, old)
  if (className !== undefined) {
    errors.invalidEach("spec.ingressClassName", className, nameIsDNSSubdomain(className, false))
  }
}

/** The annotation that named the class before the field did. */
export const ingressClassAnnotation = "kubernetes.io/ingress.class"

export const ingressRules = makeRules<Ingress>("Namespaced", {
  check: (errors, { metadata, spec = {} }, old) => {
    checkSpec(errors, spec, old)
    const annotated = metadata.annotations?.[ingressClassAnnotation]
    const { ingressClassName } = spec
    if (
      old === undefined &&
      annotated !== undefined &&
      ingressClassName !== undefined &&
      annotated !== ingressClassName
    ) {
      const detail = "must match `ingressClassName` when both are specified"
      errors.invalid(`annotations.${ingressClassAnnotation}`, annotated, detail)
    }
  },
  status: (errors, { status }, old) => {
    const known = new Set(old.status?.loadBalancer?.ingress?.flatMap(({ ip }) => ip || []))
    status?.loadBalancer?.ingress?.forEach(({ hostname = "", ip = "" }, index) => {
      const at = `status.loadBalancer.ingress[${index}]`
      if (ip !== "") validateIP(errors, ip, `${at}.ip`, known)
      if (hostname === "") return
      errors.invalidEach(`${at}.hostname`, hostname, isDNS1123Subdomain(hostname))
      checkNoIP(errors, hostname, `${at}.hostname`)
    })
  }
})
