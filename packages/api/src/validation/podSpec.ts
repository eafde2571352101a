import type { PodSpec } from "../objects/Pod.ts"
import { type ContainerContext, validateOneOf } from "./container.ts"
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateIP } from "./ip.ts"
import { validateLabels } from "./labels.ts"
import {
  byteLength,
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainWithUnderscore,
  isQualifiedName,
  nameIsDNSSubdomain,
  rangeText
} from "./names.ts"
import { validateAffinity, validateTopologySpread } from "./podAffinity.ts"
import { validatePodLevelResources } from "./podLevelResources.ts"
import { validatePreemptionPolicy } from "./priorityClass.ts"
import { validateResourceRequirements } from "./resources.ts"
import { validatePodSecurityContext } from "./securityContext.ts"
import { validateTolerations } from "./tolerations.ts"
import { visitContainers } from "./visitContainers.ts"
import { validateVolumes } from "./volumes.ts"
import { validateHostProcess, validateOS } from "./windows.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodSpec; same checks in the same order. */

const maxInt32 = 2 ** 31 - 1

const checkHostNetwork = (errors: ErrorList, spec: PodSpec, path: string, isPod: boolean): void => {
  if (!spec.hostNetwork) return
  spec.containers?.forEach(({ ports }, index) => {
    ports?.forEach(({ containerPort = 0, hostPort = 0 }, portIndex) => {
      // In a template an unset host port is allowed: the defaults of its pods set it.
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        errors.invalid(
          `${path}.containers[${index}].ports[${portIndex}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true"
        )
      }
    })
  })
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

const checkDNSConfig = (errors: ErrorList, { dnsConfig, dnsPolicy }: PodSpec, path: string): void => {
  const nameservers = strings(dnsConfig?.nameservers)
  const searches = strings(dnsConfig?.searches)
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
  } else if (dnsPolicy === "None" && nameservers.length === 0) {
    errors.required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")
    return
  }
  if (nameservers.length > 3) {
    errors.invalid(`${path}.nameservers`, nameservers, "must not have more than 3 nameservers")
  }
  nameservers.forEach((server, index) => void validateIP(errors, server, `${path}.nameservers[${index}]`))
  if (searches.length > 32) errors.invalid(`${path}.searches`, searches, "must not have more than 32 search paths")
  if (searches.join(" ").length > 2048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list"
    errors.invalid(`${path}.searches`, searches, detail)
  }
  searches.forEach((search, index) => {
    if (search === ".") return
    const domain = search.endsWith(".") ? search.slice(0, -1) : search
    errors.invalidEach(`${path}.searches[${index}]`, domain, isDNS1123SubdomainWithUnderscore(domain))
  })
  const options = (dnsConfig?.options ?? []) as ReadonlyArray<{ readonly name?: string }>
  options.forEach(({ name }, index) => {
    if (!name) errors.required(`${path}.options[${index}]`, "must not be empty")
  })
}

const checkGates = (errors: ErrorList, { readinessGates, schedulingGates }: PodSpec, path: string): void => {
  readinessGates?.forEach(({ conditionType = "" }, index) => {
    errors.invalidEach(`${path}.readinessGates[${index}].conditionType`, conditionType, isQualifiedName(conditionType))
  })
  const seen = new Set<string>()
  schedulingGates?.forEach(({ name = "" }, index) => {
    const at = `${path}.schedulingGates[${index}]`
    errors.invalidEach(at, name, isQualifiedName(name))
    if (seen.has(name)) errors.duplicate(at, name)
    seen.add(name)
  })
}

const checkClaims = (errors: ErrorList, claims: PodSpec["resourceClaims"], path: string): void => {
  const seen = new Set<string>()
  claims?.forEach(({ name = "", resourceClaimName, resourceClaimTemplateName }, index) => {
    const at = `${path}[${index}]`
    if (name === "") errors.required(`${at}.name`)
    else if (seen.has(name)) errors.duplicate(`${at}.name`, name)
    else errors.invalidEach(`${at}.name`, name, isDNS1123Label(name))
    seen.add(name)
    const shown = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null
    }
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
      errors.invalid(at, shown, detail)
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.invalid(at, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    }
    for (const [field, value] of Object.entries({ resourceClaimName, resourceClaimTemplateName })) {
      if (value !== undefined) errors.invalidEach(`${at}.${field}`, value, nameIsDNSSubdomain(value, false))
    }
  })
}

const checkName = (errors: ErrorList, name: string | undefined, path: string): void => {
  if (name) errors.invalidEach(path, name, nameIsDNSSubdomain(name, false))
}

/** Upstream: validatePodHostName. */
const checkHostnameOverride = (errors: ErrorList, spec: PodSpec, at: string): void => {
  const { hostnameOverride: name } = spec as Readonly<Record<string, unknown>>
  if (typeof name !== "string") return
  if (spec.setHostnameAsFQDN) errors.forbidden(at, "may not be specified when setHostnameAsFQDN is true")
  if (spec.hostNetwork) errors.forbidden(at, "may not be specified when hostNetwork is true")
  if (byteLength(name) > 64) errors.tooLong(at, 64)
  errors.invalidEach(at, name, isDNS1123Subdomain(name))
}

const checkScheduling = (errors: ErrorList, spec: PodSpec, path: string): void => {
  checkHostnameOverride(errors, spec, `${path}.hostnameOverride`)
  checkName(errors, spec.serviceAccountName, `${path}.serviceAccountName`)
  checkName(errors, spec.nodeName, `${path}.nodeName`)
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    errors.invalid(`${path}.activeDeadlineSeconds`, deadline, rangeText(1, maxInt32))
  }
  for (const field of ["hostname", "subdomain"] as const) {
    const value = spec[field]
    if (value) errors.invalidEach(`${path}.${field}`, value, isDNS1123Label(value))
  }
  validateTolerations(errors, spec.tolerations, `${path}.tolerations`)
  spec.hostAliases?.forEach(({ hostnames, ip = "" }, index) => {
    const at = `${path}.hostAliases[${index}]`
    validateIP(errors, ip, `${at}.ip`)
    hostnames?.forEach((name, nameIndex) => {
      errors.invalidEach(`${at}.hostnames[${nameIndex}]`, name, isDNS1123Subdomain(name))
    })
  })
  checkName(errors, spec.priorityClassName, `${path}.priorityClassName`)
  if (spec.runtimeClassName !== undefined) {
    const name = spec.runtimeClassName
    errors.invalidEach(`${path}.runtimeClassName`, name, nameIsDNSSubdomain(name, false))
  }
  validatePreemptionPolicy(errors, spec.preemptionPolicy, `${path}.preemptionPolicy`)
}

const checkHostUsers = (errors: ErrorList, spec: PodSpec, path: string): void => {
  if (spec.hostUsers !== false) return
  const fields = [
    ["hostNetwork", spec.hostNetwork],
    ["HostPID", spec.hostPID],
    ["HostIPC", spec.hostIPC]
  ] as const
  for (const [field, set] of fields) if (set) errors.forbidden(`${path}.${field}`, "when `hostUsers` is false")
  visitContainers(spec, path, ({ volumeDevices }, at) => {
    if (volumeDevices?.length) errors.forbidden(`${at}.volumeDevices`, "when `hostUsers` is false")
  })
}

/** Checks that variables from files name volumes of type emptyDir. Upstream: validateFileKeyRefVolumes. */
const checkFileVolumes = (errors: ErrorList, spec: PodSpec, path: string): void => {
  visitContainers(spec, path, ({ env }, at) => {
    env?.forEach(({ valueFrom }, index) => {
      const reference = valueFrom?.fileKeyRef as { readonly volumeName?: string } | undefined
      if (reference === undefined) return
      const { volumeName = "" } = reference
      const field = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`
      const volume = spec.volumes?.find(({ name }) => name === volumeName)
      if (volume === undefined) errors.notFound(field, volumeName)
      else if (volume.emptyDir === undefined) {
        errors.invalid(field, volumeName, "referenced volume must be of type emptyDir")
      }
    })
  })
}

/** Validates the spec of a pod (`isPod`) or of a template, after defaulting. */
export const validatePodSpec = (errors: ErrorList, spec: PodSpec, path: string, isPod: boolean, podName = ""): void => {
  if (spec.terminationGracePeriodSeconds === undefined) errors.required(`${path}.terminationGracePeriodSeconds`)
  const context: ContainerContext = {
    spec,
    volumes: validateVolumes(errors, spec.volumes, `${path}.volumes`, { isPod, podName }),
    claimNames: (spec.resourceClaims ?? []).map(({ name }) => name)
  }
  checkClaims(errors, spec.resourceClaims, `${path}.resourceClaims`)
  validateContainers(errors, context, `${path}.containers`)
  validateInitContainers(errors, context, `${path}.initContainers`)
  validateEphemeralContainers(errors, context, `${path}.ephemeralContainers`)
  validatePodLevelResources(errors, spec, `${path}.resources`, context.claimNames)
  checkHostNetwork(errors, spec, path, isPod)
  validateOneOf(errors, spec.restartPolicy, ["Always", "OnFailure", "Never"], `${path}.restartPolicy`)
  const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]
  validateOneOf(errors, spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`)
  validateLabels(errors, spec.nodeSelector, `${path}.nodeSelector`)
  validatePodSecurityContext(errors, spec, `${path}.securityContext`)
  validateAffinity(errors, spec.affinity, `${path}.affinity`)
  checkDNSConfig(errors, spec, `${path}.dnsConfig`)
  checkGates(errors, spec, path)
  validateTopologySpread(errors, spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`)
  validateHostProcess(errors, spec, path)
  checkHostUsers(errors, spec, path)
  checkScheduling(errors, spec, path)
  if (spec.overhead !== undefined) {
    validateResourceRequirements(errors, { limits: spec.overhead }, `${path}.overhead`, "container")
  }
  validateOS(errors, spec, path)
  checkFileVolumes(errors, spec, path)
}
