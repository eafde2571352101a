import type { Container, Pod } from "@rollcall/api"
import { assert } from "vitest"
import { makeModelledHost } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

export type Options = NonNullable<Parameters<typeof setUpKubelet>[0]>

export const resourcesOf = (cpu: string, memory: string, limits?: Readonly<Record<string, string>>) => ({
  requests: { cpu, memory },
  ...(limits && { limits })
})

/** Runs a kubelet whose machine has 4 CPUs and 16 GiB, with the pods of `spec`. */
export const setUp = (options: Options = {}) => {
  const events: Array<string> = []
  const recorder = {
    event: (_object: unknown, _type: string, reason: string, message: string) =>
      void events.push(`${reason} ${message}`)
  }
  const world = setUpKubelet({
    host: makeModelledHost({ name: "n1", capacity: { cpu: "4", memory: "16Gi", pods: "110" } }),
    recorder,
    ...options
  })
  const { api, kubelet, untilMs } = world
  kubelet.startKubelet()
  untilMs(5_000)
  const create = (name: string, resources: Container["resources"], spec: Partial<Pod["spec"]> = {}, metadata = {}) => {
    const object: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", generation: 1, ...metadata },
      spec: { nodeName: "n1", containers: [{ name: "c", image: "app", ...(resources && { resources }) }], ...spec }
    }
    api.ask({ verb: "create", kind: "Pod", namespace: "default", object })
  }
  const resize = (name: string, resources: Container["resources"]) => {
    const body = { spec: { containers: [{ name: "c", resources }] } }
    const patch = { verb: "patch", kind: "Pod", namespace: "default", name, subresource: "resize" } as const
    assert.isDefined(api.ask({ ...patch, patchType: "strategic", body }))
  }
  const shown = (name: string) => {
    const { conditions = [], containerStatuses = [] } = api.pod(name)?.status ?? {}
    const [container] = containerStatuses
    return {
      conditions: conditions.flatMap(({ message, observedGeneration, reason, type }) =>
        type.startsWith("PodResize")
          ? [[type, reason, message, observedGeneration].filter((part) => part !== undefined)]
          : []
      ),
      allocated: container?.allocatedResources?.cpu,
      actual: container?.resources?.requests?.cpu,
      memory: container?.resources?.limits?.memory,
      restarts: container?.restartCount
    }
  }
  const resizeEvents = () => events.filter((event) => event.startsWith("Resize"))
  return { ...world, create, resize, shown, resizeEvents }
}

export const fits = { conditions: [], memory: undefined, restarts: 0 }
