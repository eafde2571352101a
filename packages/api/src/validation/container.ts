import type { Container } from "../objects/Container.ts"
import type { PodSpec } from "../objects/Pod.ts"
import type { Volume } from "../objects/Volume.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateEnv } from "./env.ts"
import { typed } from "./FieldError.ts"
import { isDNS1123Label, isValidPortName, isValidPortNumber } from "./names.ts"
import { validateResourceRequirements } from "./resources.ts"
import { validateContainerSecurityContext } from "./securityContext.ts"
import { validateVolumeDevices, validateVolumeMounts } from "./volumeMounts.ts"

/** What the validation of a container reads of its pod. */
export interface ContainerContext {
  readonly spec: PodSpec
  /** The pod's valid volumes. */
  readonly volumes: ReadonlyMap<string, Volume>
  /** The names of the pod's resource claims. */
  readonly claimNames: ReadonlyArray<string>
}

/** Checks that the value is present and one of the supported ones. */
export const validateOneOf = (
  errors: ErrorList,
  value: string | undefined,
  supported: ReadonlyArray<string>,
  path: string
): void => {
  if (!value) errors.required(path)
  else if (!supported.includes(value)) errors.notSupported(path, value, supported)
}

const protocols = ["SCTP", "TCP", "UDP"]

const checkPorts = (errors: ErrorList, ports: Container["ports"], path: string): void => {
  const names = new Set<string>()
  ports?.forEach(({ containerPort = 0, hostPort = 0, name, protocol }, index) => {
    const at = `${path}[${index}]`
    if (name) {
      const messages = isValidPortName(name)
      errors.invalidEach(`${at}.name`, name, messages)
      if (messages.length === 0 && names.has(name)) errors.duplicate(`${at}.name`, name)
      names.add(name)
    }
    if (containerPort === 0) errors.required(`${at}.containerPort`)
    else errors.invalidEach(`${at}.containerPort`, containerPort, isValidPortNumber(containerPort))
    if (hostPort !== 0) errors.invalidEach(`${at}.hostPort`, hostPort, isValidPortNumber(hostPort))
    validateOneOf(errors, protocol, protocols, `${at}.protocol`)
  })
}

/** Checks that each host port is used by only one container. */
export const validateHostPorts = (errors: ErrorList, containers: ReadonlyArray<Container>, path: string): void => {
  const usedPorts = new Set<string>()
  containers.forEach(({ ports }, index) => {
    ports?.forEach(({ hostIP = "", hostPort = 0, protocol = "" }, portIndex) => {
      if (hostPort === 0) return
      const key = `${protocol}/${hostIP}/${hostPort}`
      if (usedPorts.has(key)) errors.duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key)
      usedPorts.add(key)
    })
  })
}

const checkResizePolicy = (errors: ErrorList, container: Container, spec: PodSpec, path: string): void => {
  const seen = new Set<string>()
  container.resizePolicy?.forEach(({ resourceName = "", restartPolicy = "" }, index) => {
    if (seen.has(resourceName)) errors.duplicate(`${path}[${index}]`, typed(resourceName))
    seen.add(resourceName)
    validateOneOf(errors, resourceName, ["cpu", "memory"], path)
    validateOneOf(errors, restartPolicy, ["NotRequired", "RestartContainer"], path)
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.invalid(path, typed(restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  })
}

/** Checks the rules for all types of containers. Upstream: validateContainerCommon. */
export const validateContainer = (
  errors: ErrorList,
  container: Container,
  context: ContainerContext,
  path: string
): void => {
  if (!container.name) errors.required(`${path}.name`)
  else errors.invalidEach(`${path}.name`, container.name, isDNS1123Label(container.name))
  if (!container.image) errors.required(`${path}.image`)
  validateOneOf(
    errors,
    container.terminationMessagePolicy,
    ["File", "FallbackToLogsOnError"],
    `${path}.terminationMessagePolicy`
  )
  checkPorts(errors, container.ports, `${path}.ports`)
  validateEnv(errors, container, path)
  validateVolumeMounts(errors, container, context.volumes, `${path}.volumeMounts`)
  validateVolumeDevices(errors, container, context.volumes, `${path}.volumeDevices`)
  validateOneOf(errors, container.imagePullPolicy, ["Always", "IfNotPresent", "Never"], `${path}.imagePullPolicy`)
  validateResourceRequirements(errors, container.resources, `${path}.resources`, "container", context.claimNames)
  checkResizePolicy(errors, container, context.spec, `${path}.resizePolicy`)
  const hostUsers = context.spec.hostUsers !== false
  validateContainerSecurityContext(errors, container.securityContext, `${path}.securityContext`, hostUsers)
}
