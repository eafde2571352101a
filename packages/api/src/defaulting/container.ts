import { memberOf } from "../memberOf.ts"
import type { Container, EnvVar, Lifecycle, LifecycleHandler, Probe } from "../objects/Container.ts"
import { type Fields, isFields } from "../values.ts"
import { mapItems, withDefaults, withFields } from "./fill.ts"
import { imageTag } from "./imageReference.ts"
import { withRoundedResources } from "./resourceList.ts"

/** Upstream: pkg/apis/core/v1/defaults.go and zz_generated.defaults.go. */

/**
 * Returns the default of imagePullPolicy: Always for the tag `latest`, given or implied; IfNotPresent for any other tag,
 * for a digest and for an invalid reference.
 */
export const pullPolicyOf = (image: string): "Always" | "IfNotPresent" =>
  imageTag(image) === "latest" ? "Always" : "IfNotPresent"

const containerDefaults = { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" } as const
const probeDefaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
const portDefaults = { protocol: "TCP" } as const
const httpDefaults = { path: "/", scheme: "HTTP" }
const grpcDefaults = { service: "" }

/** Returns the probe without numbers that are zero, because Go reads those as absent. */
const withoutZeros = (probe: Probe): Probe => {
  const zeros = Object.keys(probeDefaults).filter((key) => probe[key as keyof typeof probeDefaults] === 0)
  if (zeros.length === 0) return probe
  return Object.fromEntries(Object.entries(probe).filter(([key]) => !zeros.includes(key)))
}

const withHttp = <A extends Probe | LifecycleHandler>(handler: A): A =>
  handler.httpGet === undefined
    ? handler
    : (withFields<Probe | LifecycleHandler>(handler, { httpGet: withDefaults(handler.httpGet, httpDefaults) }) as A)

const completeProbe = (probe: Probe | undefined): Probe | undefined => {
  if (probe === undefined) return undefined
  const grpc =
    probe.grpc === undefined || probe.grpc.service !== undefined ? probe.grpc : { ...probe.grpc, ...grpcDefaults }
  return withHttp(withDefaults(withFields(withoutZeros(probe), { grpc }), probeDefaults))
}

const completeLifecycle = (lifecycle: Lifecycle | undefined): Lifecycle | undefined =>
  lifecycle === undefined
    ? undefined
    : withFields(lifecycle, {
        postStart: lifecycle.postStart === undefined ? undefined : withHttp(lifecycle.postStart),
        preStop: lifecycle.preStop === undefined ? undefined : withHttp(lifecycle.preStop)
      })

/** Sets the API version that the path of a field reference is of. */
export const completeFieldRef = (reference: Fields): Fields => withDefaults(reference, { apiVersion: "v1" })

/** Returns the object with one of its fields completed, if that is an object. */
export const withPart = <A extends object>(object: A, name: string, complete: (part: Fields) => Fields): A => {
  const part: unknown = (object as Fields)[name]
  return isFields(part) ? withFields(object, { [name]: complete(part) } as Partial<A>) : object
}

const completeFileKeyRef = (reference: Fields): Fields =>
  reference.optional === undefined ? { ...reference, optional: false } : reference

const completeVariable = (variable: EnvVar): EnvVar =>
  withPart(variable, "valueFrom", (source) =>
    withPart(withPart(source, "fieldRef", completeFieldRef), "fileKeyRef", completeFileKeyRef)
  )

/** Sets the defaults of any container, in a pod or in a template. */
export const completeContainer = <A extends Container>(container: A): A => {
  const { env, imagePullPolicy, lifecycle, livenessProbe, ports, readinessProbe, startupProbe } = container
  const completed = withFields<Container>(withDefaults<Container>(container, containerDefaults), {
    imagePullPolicy: imagePullPolicy ? undefined : pullPolicyOf(container.image ?? ""),
    ports: ports === undefined ? undefined : mapItems(ports, completePort),
    env: env === undefined ? undefined : mapItems(env, completeVariable),
    livenessProbe: completeProbe(livenessProbe),
    readinessProbe: completeProbe(readinessProbe),
    startupProbe: completeProbe(startupProbe),
    lifecycle: completeLifecycle(lifecycle)
  })
  return withRoundedResources(completed) as A
}

const completePort = (port: NonNullable<Container["ports"]>[number]) => withDefaults(port, portDefaults)

/** Sets the host port of each port to its container port, for a pod on the host network. */
export const withHostPorts = <A extends Container>(container: A): A => {
  if (container.ports === undefined) return container
  const ports = mapItems(container.ports, (port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }))
  return ports === container.ports ? container : { ...container, ports }
}

/** Sets the request of each resource that has only a limit to that limit. */
export const withRequestsFromLimits = <A extends Container>(container: A): A => {
  const limits = container.resources?.limits
  if (limits === undefined) return container
  const requests = container.resources?.requests
  if (Object.keys(limits).every((name) => memberOf(requests, name) !== undefined)) return container
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } }
}
