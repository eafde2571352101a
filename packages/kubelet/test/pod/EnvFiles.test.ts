import type { Container } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledPodRuntime } from "../../src/index.ts"
import { createPod, makeRecorder, startKubelet, states, statusOf } from "./lifeOf.ts"

const mounts = [{ name: "data", mountPath: "/data" }]
const writing = (text: string): Container => ({
  name: "w",
  image: "busybox",
  command: ["sh", "-c", `echo "${text}" > /data/app.env`],
  volumeMounts: mounts
})
const reading = (reference: object = {}, rest: Partial<Container> = {}): Container => ({
  name: "c",
  image: "busybox",
  command: ["sh", "-c", 'test "$KEY" = value'],
  env: [{ name: "KEY", valueFrom: { fileKeyRef: { volumeName: "data", path: "app.env", key: "KEY", ...reference } } }],
  ...rest
})

const run = (containers: ReadonlyArray<Container>, initContainers: ReadonlyArray<Container>, on = true) => {
  const { events, recorder } = makeRecorder()
  const config = kubeletConfig({})
  const testNode = startKubelet({
    recorder,
    config: { ...config, featureGates: { ...config.featureGates, EnvFiles: on } },
    runtime: (timers) => makeModelledPodRuntime(timers)
  })
  const spec = {
    containers,
    initContainers,
    restartPolicy: "Never" as const,
    volumes: [{ name: "data", emptyDir: {} }]
  }
  createPod(testNode, "a", spec)
  testNode.untilMs(20_000)
  const waiting = statusOf(testNode, "a", "c")?.state?.waiting
  return { events, state: states(testNode, "a").split(", ").at(-1), message: waiting?.message }
}

const error = (message: string) => ({ state: "c CreateContainerConfigError", message })
const shown = ({ message, state }: ReturnType<typeof run>) => ({ state, message })

describe("a variable whose value is in a file", () => {
  it("is what a container before has written", () => {
    const { events, state } = run([reading()], [writing("KEY='value'")])
    assert.strictEqual(state, "c ended 0")
    assert.notInclude(events.join("\n"), "Error")
  })

  it("holds its container as long as the file cannot be read or lacks it", () => {
    const unread = error("couldn't parse env file")
    assert.deepStrictEqual(shown(run([reading({}, { volumeMounts: mounts })], [])), unread)
    assert.deepStrictEqual(shown(run([reading({ optional: true }, { volumeMounts: mounts })], [])), unread)
    assert.deepStrictEqual(shown(run([reading()], [writing("KEY=value")])), unread)
    const { message, state } = run([reading({ key: "OTHER" })], [writing("KEY='value'")])
    assert.strictEqual(state, "c CreateContainerConfigError")
    assert.match(
      message ?? "",
      /^environment variable key "OTHER" not found in file "\/var\/lib\/kubelet\/pods\/[^/]+\/volumes\/kubernetes.io~empty-dir\/data\/app.env"$/
    )
    assert.deepStrictEqual(shown(run([reading()], [])), error('cannot find the volume "data" referenced by FileKeyRef'))
  })

  it("is left out if it is optional and the file lacks it", () => {
    const command = ["sh", "-c", 'test -z "$KEY"']
    assert.strictEqual(
      run([reading({ key: "OTHER", optional: true }, { command })], [writing("KEY='value'")]).state,
      "c ended 0"
    )
  })

  it("is left out if nobody knows what its file has, or the feature is off", () => {
    const unknown: Container = { name: "w", image: "registry.example/tool:1", volumeMounts: mounts }
    const idle = { command: ["sleep", "100"] }
    assert.strictEqual(run([reading({}, idle)], [unknown]).state, "c running")
    assert.strictEqual(run([reading({}, { ...idle, volumeMounts: mounts })], [], false).state, "c running")
  })
})
