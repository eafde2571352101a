import type { Lifecycle, LifecycleHandler, Probe } from "../objects/Container.ts"
import type { IntOrString } from "../objects/Scalars.ts"
import type { ErrorList } from "./ErrorList.ts"
import { isHTTPHeaderName, isValidPortName, isValidPortNumber } from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go, validateProbe, validateHandler and validateLifecycle. */

const checkPort = (errors: ErrorList, port: IntOrString | undefined, path: string): void => {
  if (typeof port === "string") errors.invalidEach(path, port, isValidPortName(port))
  else errors.invalidEach(path, port ?? 0, isValidPortNumber(port ?? 0))
}

type Handler = Omit<Probe, "stopSignal"> & Pick<LifecycleHandler, "sleep">

const checkHTTPGet = (errors: ErrorList, action: NonNullable<Probe["httpGet"]>, path: string): void => {
  if (!action.path) errors.required(`${path}.path`)
  checkPort(errors, action.port, `${path}.port`)
  const scheme = action.scheme ?? ""
  if (scheme !== "HTTP" && scheme !== "HTTPS") errors.notSupported(`${path}.scheme`, scheme, ["HTTP", "HTTPS"])
  for (const { name = "" } of action.httpHeaders ?? []) {
    errors.invalidEach(`${path}.httpHeaders`, name, isHTTPHeaderName(name))
  }
}

const checkHandler = (errors: ErrorList, handler: Handler, graceSeconds: number | undefined, path: string): void => {
  const { exec, grpc, httpGet, sleep, tcpSocket } = handler
  let found = 0
  const isFirst = (field: string): boolean => {
    found++
    if (found > 1) errors.forbidden(`${path}.${field}`, "may not specify more than 1 handler type")
    return found === 1
  }
  if (exec !== undefined && isFirst("exec") && !exec.command?.length) errors.required(`${path}.exec.command`)
  if (httpGet !== undefined && isFirst("httpGet")) checkHTTPGet(errors, httpGet, `${path}.httpGet`)
  if (tcpSocket !== undefined && isFirst("tcpSocket")) checkPort(errors, tcpSocket.port, `${path}.tcpSocket.port`)
  if (grpc !== undefined && isFirst("grpc")) checkPort(errors, grpc.port, `${path}.grpc.port`)
  if (sleep !== undefined && isFirst("sleep") && graceSeconds !== undefined) {
    const seconds = sleep.seconds ?? 0
    if (seconds < 0 || seconds > graceSeconds) {
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`
      errors.invalid(`${path}.sleep`, seconds, detail)
    }
  }
  if (found === 0) errors.required(path, "must specify a handler type")
}

/** Validates a container's probe: only readiness allows several successes, only the others a grace period. */
export const validateProbe = (
  errors: ErrorList,
  probe: Probe | undefined,
  kind: "livenessProbe" | "readinessProbe" | "startupProbe",
  graceSeconds: number | undefined,
  path: string
): void => {
  if (probe === undefined) return
  const at = `${path}.${kind}`
  checkHandler(errors, probe, graceSeconds, at)
  errors.nonNegative(`${at}.initialDelaySeconds`, probe.initialDelaySeconds)
  errors.nonNegative(`${at}.timeoutSeconds`, probe.timeoutSeconds)
  errors.nonNegative(`${at}.periodSeconds`, probe.periodSeconds)
  errors.nonNegative(`${at}.successThreshold`, probe.successThreshold)
  errors.nonNegative(`${at}.failureThreshold`, probe.failureThreshold)
  const grace = probe.terminationGracePeriodSeconds
  if (grace !== undefined && grace <= 0) {
    errors.invalid(`${at}.terminationGracePeriodSeconds`, grace, "must be greater than 0")
  }
  if (kind === "readinessProbe") {
    if (grace !== undefined) {
      errors.invalid(`${at}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes")
    }
  } else if (probe.successThreshold !== 1) {
    errors.invalid(`${at}.successThreshold`, probe.successThreshold ?? 0, "must be 1")
  }
}

export const validateLifecycle = (
  errors: ErrorList,
  lifecycle: Lifecycle | undefined,
  graceSeconds: number | undefined,
  os: string | undefined,
  path: string
): void => {
  if (lifecycle === undefined) return
  const { postStart, preStop, stopSignal } = lifecycle
  if (postStart !== undefined) checkHandler(errors, postStart, graceSeconds, `${path}.postStart`)
  if (preStop !== undefined) checkHandler(errors, preStop, graceSeconds, `${path}.preStop`)
  if (stopSignal === undefined) return
  if (os === undefined) {
    errors.forbidden(`${path}.stopSignal`, "may not be set for containers with empty `spec.os.name`")
  } else if (os === "windows" && stopSignal !== "SIGKILL" && stopSignal !== "SIGTERM") {
    errors.notSupported(`${path}.stopSignal`, stopSignal, ["SIGKILL", "SIGTERM"])
  }
}
