import type { Container, PodSpec, Probe } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type KubeletStream, makeModelledPodRuntime } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

const quick = { periodSeconds: 1, failureThreshold: 1 }

const setUp = (container: Partial<Container>, spec: Partial<PodSpec> = {}, annotations = {}) => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const containers = [{ name: "c", image: "busybox", command: ["sleep", "999"], ...container }]
  made.api.createPod("p", "n1", { containers, ...spec }, annotations)
  made.untilMs(5_500)
  const now = () => made.time.timers.now() - START
  return {
    exec: (...command: ReadonlyArray<string>) => {
      const query = new Map([
        ["command", command],
        ["stdout", ["true"]]
      ])
      const { body } = made.kubelet.serve({ method: "GET", path: "/exec/default/p/c", query })
      let text = ""
      const stream = body as KubeletStream
      stream.open({ write: (_, piece) => (text += piece), isFull: () => false, end: () => {} })
      made.untilMs(now() + 2_000)
      return text
    },
    isReady: () => made.api.pod("p")?.status?.containerStatuses?.[0]?.ready,
    restarts: () => made.api.pod("p")?.status?.containerStatuses?.[0]?.restartCount,
    later: (ms: number) => made.untilMs(now() + ms)
  }
}

const looking: Probe = { exec: { command: ["cat", "/healthy"] }, ...quick }

describe("a probe that looks at files", () => {
  it("finds them as commands in the container have left them", () => {
    const { exec, isReady } = setUp({ readinessProbe: looking })
    assert.isTrue(isReady(), "the image may have it")
    exec("touch", "/other")
    assert.isTrue(isReady(), "the image may have it still")
    exec("touch", "/healthy")
    assert.isTrue(isReady())
    exec("rm", "/healthy")
    assert.isFalse(isReady())
    exec("sh", "-c", "sleep 1; touch /healthy")
    assert.isTrue(isReady())
  })

  it("finds those in volumes, and of the container's own command", () => {
    const mounted = { volumeMounts: [{ name: "v", mountPath: "/v" }] }
    const volumes = [{ name: "v", emptyDir: {} }]
    const readinessProbe = { exec: { command: ["cat", "/v/ready"] }, ...quick }
    const command = ["sh", "-c", "echo > /v/other; sleep 10; touch /v/ready; sleep 999"]
    const { exec, isReady, later } = setUp({ command, readinessProbe, ...mounted }, { volumes })
    assert.isFalse(isReady())
    later(10_000)
    assert.isTrue(isReady())
    exec("rm", "/v/ready")
    assert.isFalse(isReady())
  })

  it("knows which of them are not there, in empty folders of known images and in new volumes", () => {
    const inTmp: Probe = { exec: { command: ["cat", "/tmp/healthy"] }, ...quick }
    const { exec, isReady } = setUp({ readinessProbe: inTmp })
    assert.isFalse(isReady())
    exec("touch", "/tmp/healthy")
    assert.isTrue(isReady())
    assert.isTrue(setUp({ readinessProbe: inTmp, image: "web" }).isReady(), "the image may have it")
    assert.isTrue(setUp({ readinessProbe: inTmp, command: ["serve"] }).isReady(), "the command may write it")
    const mounted = { volumeMounts: [{ name: "v", mountPath: "/v/" }] }
    const readinessProbe = { exec: { command: ["test", "-f", "/v/go"] }, ...quick }
    const inVolume = (volume: object) => setUp({ readinessProbe, ...mounted }, { volumes: [{ name: "v", ...volume }] })
    const shared = inVolume({ emptyDir: {} })
    assert.isFalse(shared.isReady())
    shared.exec("dd", "if=/dev/zero", "of=/v/go", "bs=1", "count=1", "conv=fsync")
    assert.isTrue(shared.isReady())
    assert.isTrue(inVolume({ hostPath: { path: "/host" } }).isReady(), "the machine may have it")
    assert.isTrue(inVolume({ nfs: { server: "s", path: "/" } }).isReady(), "its server may have it")
  })

  it("restarts a container that is not alive, which has the files of its image again", () => {
    const { exec, later, restarts } = setUp({ livenessProbe: looking })
    exec("touch", "/healthy")
    exec("rm", "/healthy")
    later(60_000)
    assert.strictEqual(restarts(), 1)
    exec("touch", "/other")
    later(60_000)
    assert.strictEqual(restarts(), 1)
  })

  it("goes as its pod's annotation says, if that says when", () => {
    const behaviour = JSON.stringify({ c: { readyAfterSeconds: 1 } })
    const { exec, isReady } = setUp({ readinessProbe: looking }, {}, { "rollcall.dev/behaviour": behaviour })
    exec("touch", "/healthy")
    exec("rm", "/healthy")
    assert.isTrue(isReady())
  })

  it("asks the file server of Kubernetes' test image for one", () => {
    const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"
    const readinessProbe = { httpGet: { path: "/localhost.crt", port: 80 }, ...quick }
    const { exec, isReady } = setUp({ image, command: [], args: ["test-webserver"], readinessProbe })
    assert.isTrue(isReady())
    assert.strictEqual(exec("mv", "-v", "/localhost.crt", "/tmp/"), "'/localhost.crt' -> '/tmp/localhost.crt'\n")
    assert.isFalse(isReady())
    exec("sh", "-c", "mv -v /localhost.crt /tmp/ || true")
    assert.isFalse(isReady())
    exec("mv", "/tmp/localhost.crt", "/")
    assert.isTrue(isReady())
  })
})
