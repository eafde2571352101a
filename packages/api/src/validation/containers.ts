import type { Container } from "../objects/Container.ts"
import { type ContainerContext, validateContainer, validateHostPorts } from "./container.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateLifecycle, validateProbe } from "./probes.ts"

/** Upstream: pkg/apis/core/validation/validation.go, validateContainers, validateInitContainers, validateEphemeralContainers. */

const restartPolicies = ["Always", "Never", "OnFailure"]
const ruleActions = ["Restart", "RestartAllContainers"]

const requirePolicyOfRules = (errors: ErrorList, { restartPolicyRules = [] }: Container, path: string): void => {
  if (restartPolicyRules.length === 0) return
  errors.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used")
}

const checkRestartPolicy = (errors: ErrorList, container: Container, path: string): void => {
  const { restartPolicy, restartPolicyRules = [] } = container
  if (restartPolicy === undefined) requirePolicyOfRules(errors, container, path)
  else if (!restartPolicies.includes(restartPolicy))
    errors.notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies)
  if (restartPolicyRules.length > 20) errors.tooMany(`${path}.restartPolicyRules`, restartPolicyRules.length, 20)
  restartPolicyRules.forEach(({ action = "", exitCodes }, index) => {
    const at = `${path}.restartPolicyRules[${index}]`
    if (!ruleActions.includes(action)) errors.notSupported(`${at}.action`, action, ruleActions)
    if (exitCodes === undefined) errors.required(`${at}.exitCodes`, "must be specified")
    else if (exitCodes.operator !== "In" && exitCodes.operator !== "NotIn") {
      errors.notSupported(`${at}.exitCodes.operator`, exitCodes.operator ?? "", ["In", "NotIn"])
    }
    const count = exitCodes?.values?.length ?? 0
    if (count > 255) errors.tooMany(`${at}.exitCodes.values`, count, 255)
  })
}

const checkLifecycleAndProbes = (
  errors: ErrorList,
  container: Container,
  context: ContainerContext,
  path: string
): void => {
  const grace = context.spec.terminationGracePeriodSeconds
  validateLifecycle(errors, container.lifecycle, grace, context.spec.os?.name, `${path}.lifecycle`)
  validateProbe(errors, container.livenessProbe, "livenessProbe", grace, path)
  validateProbe(errors, container.readinessProbe, "readinessProbe", grace, path)
  validateProbe(errors, container.startupProbe, "startupProbe", grace, path)
}

export const validateContainers = (errors: ErrorList, context: ContainerContext, path: string): void => {
  const containers = context.spec.containers ?? []
  if (containers.length === 0) errors.required(path)
  const names = new Set<string>()
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`
    validateContainer(errors, container, context, at)
    const name = container.name ?? ""
    if (names.has(name)) errors.duplicate(`${at}.name`, name)
    names.add(name)
    checkLifecycleAndProbes(errors, container, context, at)
    checkRestartPolicy(errors, container, at)
  })
  validateHostPorts(errors, containers, path)
}

const lifecycleFields = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const

export const validateInitContainers = (errors: ErrorList, context: ContainerContext, path: string): void => {
  const names = new Set((context.spec.containers ?? []).map(({ name }) => name))
  context.spec.initContainers?.forEach((container, index) => {
    const at = `${path}[${index}]`
    validateContainer(errors, container, context, at)
    const isSidecar = container.restartPolicy === "Always"
    // Without a policy, the rules of an init container are not looked at.
    if (container.restartPolicy !== undefined) checkRestartPolicy(errors, container, at)
    else requirePolicyOfRules(errors, container, at)
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name ?? "")
    else if (container.name) names.add(container.name)
    // Init containers run one after the other, so their host ports cannot collide.
    validateHostPorts(errors, [container], path)
    if (isSidecar) checkLifecycleAndProbes(errors, container, context, at)
    else {
      for (const field of lifecycleFields) {
        if (container[field] !== undefined) {
          errors.forbidden(`${at}.${field}`, "may not be set for init containers without restartPolicy=Always")
        }
      }
      container.resizePolicy?.forEach(({ restartPolicy }, policyIndex) => {
        if (restartPolicy !== "RestartContainer") return
        errors.invalid(
          `${at}.resizePolicy[${policyIndex}].restartPolicy`,
          restartPolicy,
          "must not be set to 'RestartContainer' for non-sidecar initContainers"
        )
      })
    }
  })
}

const forbiddenForEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  ...lifecycleFields
] as const

const NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"

export const validateEphemeralContainers = (errors: ErrorList, context: ContainerContext, path: string): void => {
  const { containers = [], ephemeralContainers, initContainers = [] } = context.spec
  const others = new Set([...containers, ...initContainers].map(({ name }) => name))
  const names = new Set(others)
  ephemeralContainers?.forEach((container, index) => {
    const at = `${path}[${index}]`
    validateContainer(errors, container, context, at)
    validateImageText(errors, container, at)
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name ?? "")
    names.add(container.name)
    const target = container.targetContainerName
    if (target && !others.has(target)) errors.notFound(`${at}.targetContainerName`, target)
    for (const field of forbiddenForEphemeral) {
      const value = container[field]
      // Only the resources are a struct and no pointer, list or map, of which an empty one is set, too.
      if (value !== undefined && !(field === "resources" && Object.keys(value).length === 0)) {
        errors.forbidden(`${at}.${field}`, NOT_EPHEMERAL)
      }
    }
    container.volumeMounts?.forEach((mount, mountIndex) => {
      for (const field of ["subPath", "subPathExpr"] as const) {
        if (mount[field]) errors.forbidden(`${at}.volumeMounts[${mountIndex}].${field}`, NOT_EPHEMERAL)
      }
    })
  })
}

/** Checks the image of a container in a pod; templates are not checked. */
export const validateImageText = (errors: ErrorList, { image = "" }: Container, path: string): void => {
  if (image.trim() !== image) errors.invalid(`${path}.image`, image, "must not have leading or trailing whitespace")
}
