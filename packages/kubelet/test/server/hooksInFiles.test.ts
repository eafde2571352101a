import type { Container, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type KubeletStream, makeModelledPodRuntime } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

const setUp = (container: Partial<Container>, spec: Partial<PodSpec> = {}) => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const containers = [{ name: "c", image: "busybox", command: ["sleep", "999"], ...container }]
  made.api.createPod("p", "n1", { containers, restartPolicy: "Never", ...spec })
  made.untilMs(4_000)
  const now = () => made.time.timers.now() - START
  const textOf = (path: string, query: Readonly<Record<string, ReadonlyArray<string>>>): string => {
    const { body } = made.kubelet.serve({ method: "GET", path, query: new Map(Object.entries(query)) })
    let text = ""
    const stream = body as KubeletStream
    stream.open({ write: (_, piece) => (text += piece), isFull: () => false, end: () => {} })
    made.untilMs(now() + 50)
    return text
  }
  const status = () => made.api.pod("p")?.status?.containerStatuses?.[0]
  return {
    ...made,
    status,
    log: () => textOf("/containerLogs/default/p/c", {}),
    exec: (...command: ReadonlyArray<string>) => textOf("/exec/default/p/c", { command, stdout: ["true"] }),
    delete: () => made.api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" }),
    later: (ms: number) => made.untilMs(now() + ms)
  }
}

const sh = (script: string) => ({ exec: { command: ["sh", "-c", script] } })
const shared = { volumes: [{ name: "v", emptyDir: {} }] }
describe("a hook that works with files", () => {
  it("writes them for the command of its container", () => {
    const postStart = sh("echo hello > /tmp/a")
    const { later, log, status, exec } = setUp({
      command: ["sh", "-c", "sleep 3; cat /tmp/a && echo >> /tmp/a && sleep 999"],
      lifecycle: { postStart }
    })
    assert.strictEqual(exec("cat", "/tmp/a"), "hello\n")
    later(10_000)
    assert.isDefined(status()?.state?.running)
    assert.deepStrictEqual([log(), log()], ["hello\n", "hello\n"])
  })

  it("fails with its command", () => {
    const lifecycle = { postStart: sh("cat /tmp/none") }
    const { later, status } = setUp({ lifecycle }, { restartPolicy: "Always" })
    later(2_000)
    assert.strictEqual(status()?.state?.waiting?.reason, "CrashLoopBackOff")
    assert.isAbove(status()?.restartCount ?? 0, 0)
  })

  it("runs once before its container is stopped, and takes its time", () => {
    const preStop = sh("sleep 10; echo once >> /v/a")
    const volumeMounts = [{ name: "v", mountPath: "/v" }]
    const made = setUp({ lifecycle: { preStop }, volumeMounts }, { ...shared, terminationGracePeriodSeconds: 60 })
    made.delete()
    made.later(9_000)
    assert.isDefined(made.status()?.state?.running)
    assert.strictEqual(made.exec("cat", "/v/a"), "once\n")
    made.later(6_000)
    assert.isUndefined(made.api.pod("p"))
  })

  it("that does not end takes all of the grace period", () => {
    const preStop = sh("while true; do echo stopping; sleep 1; done")
    const made = setUp({ lifecycle: { preStop } }, { terminationGracePeriodSeconds: 20 })
    made.delete()
    made.later(19_000)
    assert.isDefined(made.status()?.state?.running)
    made.later(5_000)
    assert.isUndefined(made.api.pod("p"))
  })
})
