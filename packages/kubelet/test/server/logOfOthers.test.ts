import type { Container, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type KubeletStream, makeModelledPodRuntime } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const sh = (script: string) => ["sh", "-c", script]
const hook = (script: string) => ({ exec: { command: sh(script) } })

const setUp = (container: Partial<Container>, spec: Partial<PodSpec> = {}) => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const containers = [{ name: "c", image: "busybox", command: ["sleep", "999"], ...container }]
  made.api.createPod("p", "n1", { containers, restartPolicy: "Never", ...spec })
  made.untilMs(4_000)
  const open = (path: string, query: Readonly<Record<string, ReadonlyArray<string>>>) => {
    const state = { text: "" }
    const { body } = made.kubelet.serve({ method: "GET", path, query: new Map(Object.entries(query)) })
    const stream = body as KubeletStream
    stream.open({ write: (_, piece) => (state.text += piece), isFull: () => false, end: () => {} })
    made.time.runUntil(made.time.timers.now() + 50)
    return state
  }
  return {
    ...made,
    log: (query: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
      open("/containerLogs/default/p/c", query).text,
    follow: () => open("/containerLogs/default/p/c", { follow: ["true"] }),
    exec: (script: string) => open("/exec/default/p/c", { command: sh(script), stdout: ["true"], stderr: ["true"] }),
    delete: () => made.api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
  }
}

describe("what another command writes to the output of the first process", () => {
  it("is in the log of the container, and not what it writes to its own", () => {
    const { exec, follow, log } = setUp({ command: sh("echo own; sleep 999") })
    const follower = follow()
    assert.strictEqual(exec("echo mine; echo to log > /proc/1/fd/1").text, "mine\n")
    assert.deepStrictEqual([follower.text, log()], ["own\nto log\n", "own\nto log\n"])
    exec("echo a | sed s/a/b/ >> /proc/1/fd/1; for i in 1 2; do echo $i; done > /proc/1/fd/2")
    assert.strictEqual(log(), "own\nto log\nb\n1\n2\n")
  })

  it("stands in its order by time, also if the log is first computed later", () => {
    const { exec, log, untilMs } = setUp({ command: sh("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 1; done") })
    untilMs(5_500)
    exec("echo x > /proc/1/fd/1")
    untilMs(30_000)
    assert.strictEqual(log(), "1\n2\n3\n4\nx\n5\n6\n7\n8\n")
    assert.strictEqual(log({ tailLines: ["5"] }), "x\n5\n6\n7\n8\n")
  })

  it("comes from hooks when these write it", () => {
    const made = setUp(
      {
        command: sh("sleep 999"),
        lifecycle: {
          postStart: hook("echo started > /proc/1/fd/1"),
          preStop: hook("echo stopping > /proc/1/fd/1; sleep 5; echo stopped > /proc/1/fd/1")
        }
      },
      { terminationGracePeriodSeconds: 30 }
    )
    made.untilMs(6_000)
    assert.strictEqual(made.log(), "started\n")
    const follower = made.follow()
    made.delete()
    made.untilMs(8_000)
    assert.strictEqual(follower.text, "started\nstopping\n")
    made.untilMs(11_500)
    assert.strictEqual(follower.text, "started\nstopping\nstopped\n")
  })

  it("is in the log of the run that it belongs to", () => {
    const { log, untilMs } = setUp(
      { command: sh("sleep 10; exit 1"), lifecycle: { postStart: hook("echo started > /proc/1/fd/1") } },
      { restartPolicy: "Always" }
    )
    untilMs(20_000)
    assert.deepStrictEqual([log(), log({ previous: ["true"] })], ["started\n", "started\n"])
  })
})

describe("a container's own command", () => {
  it("writes to its output by its names", () => {
    const { log } = setUp({
      command: sh(
        "echo 1 > /dev/stdout; echo 2 >> /dev/stderr; echo 3 > /proc/1/fd/1; echo 4 2> /dev/stdout; x=$(echo 5 > /dev/stdout); echo in $x"
      )
    })
    assert.strictEqual(log(), "1\n2\n3\n4\nin 5\n")
  })
})
