import type { Container, KubeObject, Pod } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { annotationBehaviour, type PodBehaviour } from "@rollcall/kubelet"
import { NODE, type Shape, type Step } from "../Life.ts"

const namespace = "default"

/** The spec of a shape's pod, and how its containers behave. */
export interface PodOptions extends Partial<Pod["spec"]> {
  readonly behaviour?: PodBehaviour
  readonly annotations?: Readonly<Record<string, string>>
}

export const container = (fields: Partial<Container> = {}): Container => ({ name: "app", image: "app:1", ...fields })

export const createPod =
  ({ annotations, behaviour, ...spec }: PodOptions = {}) =>
  (name: string): Step => ({
    at: 0,
    request: {
      verb: "create",
      kind: "Pod",
      namespace,
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name,
          namespace,
          ...(annotations === undefined && behaviour === undefined
            ? {}
            : {
                annotations: {
                  ...annotations,
                  ...(behaviour === undefined ? {} : { [annotationBehaviour]: JSON.stringify(behaviour) })
                }
              })
        },
        spec: { nodeName: NODE, automountServiceAccountToken: false, containers: [container()], ...spec }
      }
    }
  })

/** Another pod, beside the shape's own. */
export const createPodNamed = (name: string, options: PodOptions) => () => createPod(options)(name)

const step =
  (at: number, request: (name: string) => ApiRequest) =>
  (name: string): Step => ({ at, request: request(name) })

export const deletePod = (at: number, gracePeriodSeconds?: number) =>
  step(at, (name) => ({
    verb: "delete",
    kind: "Pod",
    namespace,
    name,
    ...(gracePeriodSeconds === undefined ? {} : { options: { gracePeriodSeconds } })
  }))

export const deletePodNamed = (at: number, name: string) => () => deletePod(at)(name)

export const evictPod = (at: number) =>
  step(at, (name) => ({
    verb: "create",
    kind: "Pod",
    namespace,
    name,
    subresource: "eviction",
    object: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } }
  }))

/** Creates a RuntimeClass of the shape's name before its pod. */
export const createRuntimeClass = (handler: string) =>
  step(0, (name) => ({
    verb: "create",
    kind: "RuntimeClass",
    object: { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler }
  }))

export const createObject = (at: number, object: KubeObject) =>
  step(at, () => ({ verb: "create", kind: object.kind as "ConfigMap", namespace, object }))

export const patchPod = (at: number, body: object, subresource?: "status" | "resize" | "ephemeralcontainers") =>
  step(at, (name) => ({
    verb: "patch",
    kind: "Pod",
    namespace,
    name,
    patchType: "strategic",
    body,
    ...(subresource === undefined ? {} : { subresource })
  }))

export const shape = (name: string, seconds: number, ...steps: ReadonlyArray<(name: string) => Step>): Shape => ({
  name,
  seconds,
  steps: steps.map((make) => make(name))
})

/** An exec probe that is answered by the behaviour of its container. */
export const probe = (kind: "startup" | "readiness" | "liveness", fields: object = {}) => ({
  exec: { command: ["check", kind] },
  ...fields
})
