import type { Container, Pod } from "@rollcall/api"
import { annotationBehaviour, type PodBehaviour } from "../../src/runtime/PodBehaviour.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

type Options = NonNullable<Parameters<typeof setUpKubelet>[0]>
export type StartedKubelet = ReturnType<typeof setUpKubelet>

interface PodOptions extends Partial<Pod["spec"]> {
  readonly behaviour?: PodBehaviour
}

export const startKubelet = (options: Options = {}): StartedKubelet => {
  const testNode = setUpKubelet(options)
  testNode.kubelet.startKubelet()
  testNode.untilMs(5_000)
  return testNode
}

/** Brought up at 5 s: its sandbox is there at 6 s. */
export const createPod = ({ api }: StartedKubelet, name: string, { behaviour, ...spec }: PodOptions): void => {
  api.ask({
    verb: "create",
    kind: "Pod",
    namespace: "default",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: "default",
        ...(behaviour === undefined ? {} : { annotations: { [annotationBehaviour]: JSON.stringify(behaviour) } })
      },
      spec: { containers: [{ name: "c", image: "app" }], nodeName: "n1", ...spec }
    }
  })
}

export const makeRecorder = () => {
  const events: Array<string> = []
  const recorder: NonNullable<Options["recorder"]> = {
    event: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`)
  }
  return { events, recorder }
}

export const statusOf = ({ api }: StartedKubelet, name: string, container: string) => {
  const { containerStatuses = [], initContainerStatuses = [] } = api.pod(name)?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === container)
}

/** `i running, c waiting PodInitializing`. */
export const states = (testNode: StartedKubelet, name: string): string => {
  const { containerStatuses = [], initContainerStatuses = [] } = testNode.api.pod(name)?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses]
    .map(({ name, state }) =>
      state?.running !== undefined
        ? `${name} running`
        : state?.terminated !== undefined
          ? `${name} ended ${state.terminated.exitCode}`
          : `${name} ${state?.waiting?.reason}`
    )
    .join(", ")
}

export const phaseOf = ({ api }: StartedKubelet, name: string): string | undefined => api.pod(name)?.status?.phase
export const initContainer = (name: string): Container => ({ name, image: "init" })
export const sidecarContainer = (name: string): Container => ({ name, image: "side", restartPolicy: "Always" })
