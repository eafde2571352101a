import type { Container } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime, type StreamInput } from "../../src/index.ts"
import { loneCommandsOf } from "../../src/server/streams/LoneCommands.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

const setUp = (command: ReadonlyArray<string>, container: Partial<Container> = {}) => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const containers = [{ name: "c", image: "busybox", command, stdin: true, ...container }]
  made.api.createPod("p", "n1", { containers, restartPolicy: "Never" })
  made.untilMs(3_000)
  const open = (path: string, query: Query) => {
    const asked = new Map(Object.entries(query).map(([name, value]) => [name, [value].flat()] as const))
    const { body } = made.kubelet.serve({ method: "GET", path: `/${path}/default/p/c`, query: asked })
    if (typeof body === "string" || !("open" in body)) throw new Error("no stream")
    const state = { text: "", ended: undefined as unknown, input: undefined as StreamInput | undefined }
    state.input = body.open({
      write: (_, text) => (state.text += text),
      isFull: () => false,
      end: (status) => {
        state.ended = status
      }
    })
    return {
      get text() {
        return state.text
      },
      get ended() {
        return state.ended
      },
      write: (text: string) => state.input?.write(text),
      end: () => state.input?.end(),
      close: () => state.input?.close()
    }
  }
  const pass = (ms: number) => made.time.runUntil(made.time.timers.now() + ms)
  return {
    ...made,
    pass,
    lone: () => loneCommandsOf(made.timers),
    attach: (query: Query = {}) => open("attach", { stdin: "true", stdout: "true", stderr: "true", ...query }),
    exec: (words: ReadonlyArray<string>) =>
      open("exec", { command: words, stdin: "true", stdout: "true", tty: "true" }),
    follow: (query: Query = {}) => open("containerLogs", { follow: "true", ...query }),
    log: (query: Query = {}) => {
      const { text } = open("containerLogs", query)
      if (text !== "") return text
      const log = open("containerLogs", query)
      pass(50)
      return log.text
    },
    ended: () => made.api.pod("p")?.status?.containerStatuses?.[0]?.state?.terminated
  }
}

describe("the log of a container whose input is open", () => {
  it("has what its command has written for clients, not what they have sent", () => {
    const { attach, ended, follow, log, pass } = setUp(["sh", "-c", "echo first; read a; echo got $a; read b; exit 3"])
    const follower = follow()
    pass(50)
    assert.strictEqual(follower.text, "first\n")
    const attached = attach()
    pass(1_000)
    attached.write("one\n")
    pass(50)
    assert.deepStrictEqual([attached.text, follower.text, log()], ["got one\n", "first\ngot one\n", "first\ngot one\n"])
    attached.write("two\n")
    pass(5_000)
    assert.strictEqual(ended()?.exitCode, 3)
    pass(60_000)
    assert.strictEqual(log(), "first\ngot one\n")
    assert.strictEqual(log({ tailLines: "1" }), "got one\n")
  })

  it("has what `cat` repeats, at its time, and what several clients have made it write", () => {
    const { attach, log, pass } = setUp(["cat"])
    for (const text of ["a\n", "b\n"]) {
      const attached = attach()
      attached.write(text)
      pass(1_000)
      attached.close()
    }
    assert.strictEqual(log(), "a\nb\n")
    assert.match(log({ timestamps: "true" }), /^2026-01-01T00:00:03.*Z a\n2026-01-01T00:00:04.*Z b\n$/)
  })

  it("is that of the terminal if there is one", () => {
    const { attach, log, pass } = setUp(["sh"], { tty: true })
    const attached = attach({ tty: "true" })
    pass(50)
    attached.write("echo hi\r")
    pass(50)
    const shown = "/ # echo hi\r\nhi\r\n/ # "
    assert.deepStrictEqual([attached.text, log()], [shown, shown])
  })

  it("is not that of another container or run, and is seen by a client that attaches without input", () => {
    const { attach, pass } = setUp(["cat"])
    const watching = attach({ stdin: "false" })
    const attached = attach()
    pass(50)
    attached.write("x\n")
    pass(50)
    assert.strictEqual(watching.text, "x\n")
  })
})

describe("a command that reads its input", () => {
  it("has taken the time until there was some", () => {
    const { exec, pass } = setUp(["sleep", "1000"], { stdin: false })
    const shell = exec(["sh"])
    pass(60_000)
    shell.write("date\rsleep 5; echo done\r")
    pass(4_900)
    assert.match(shell.text, /00:01:03/)
    assert.notMatch(shell.text, /\ndone/)
    pass(200)
    assert.match(shell.text, /\ndone/)
  })

  it("has done what came before when a client attaches later", () => {
    const { attach, pass } = setUp(["sh", "-c", "sleep 20; read a; echo got $a"])
    pass(30_000)
    const attached = attach()
    attached.write("x\n")
    pass(50)
    assert.strictEqual(attached.text, "got x\n")
  })

  it("finds the end of an input that is not open, also in its log", () => {
    const { ended, log, pass } = setUp(["sh", "-c", "cat; echo done"], { stdin: false })
    pass(1_000)
    assert.deepStrictEqual([ended()?.exitCode, log()], [0, "done\n"])
  })

  it("ends with its first client if that is all its input", () => {
    const once = setUp(["sh", "-c", "cat; echo over"], { stdinOnce: true })
    const attached = once.attach()
    attached.write("a\n")
    once.pass(50)
    attached.close()
    once.pass(5_000)
    assert.deepStrictEqual([once.ended()?.exitCode, once.log()], [0, "a\nover\n"])
    const kept = setUp(["cat"])
    kept.attach().close()
    kept.pass(5_000)
    assert.isUndefined(kept.ended())
  })

  it("goes on after a client that has ended its input, unless that is all its input", () => {
    const { attach, ended, log, pass } = setUp(["sh", "-c", "cat; echo over"])
    const first = attach()
    pass(50)
    first.write("a\nb")
    first.end()
    pass(5_000)
    assert.deepStrictEqual([first.ended, ended(), log()], [0, undefined, "a\nb"])
    const second = attach()
    second.write("c\n")
    pass(50)
    assert.deepStrictEqual([second.text, second.ended, log()], ["c\n", undefined, "a\nbc\n"])
  })

  it("goes on without its client, once", () => {
    const { attach, ended, log, lone, pass } = setUp([
      "sh",
      "-c",
      "read a; for i in 1 2 3 4 5 6; do echo $a $i; sleep 1; done; exit 3"
    ])
    const first = attach()
    first.write("x\n")
    pass(1_500)
    first.close()
    pass(2_000)
    assert.strictEqual(log(), "x 1\nx 2\nx 3\nx 4\n")
    const second = attach()
    second.write("y\n")
    pass(1_500)
    second.close()
    assert.strictEqual(log(), "x 1\nx 2\nx 3\nx 4\ny 1\ny 2\n")
    assert.strictEqual(lone().count, 1)
    pass(10_000)
    assert.strictEqual(lone().count, 0)
    assert.strictEqual(ended()?.exitCode, 3)
    assert.strictEqual(log(), "x 1\nx 2\nx 3\nx 4\ny 1\ny 2\ny 3\ny 4\ny 5\ny 6\n")
  })

  it("leaves the end of its log as a message", () => {
    const { attach, ended, pass } = setUp(["sh", "-c", "echo start; read a; echo bad $a; exit 2"], {
      terminationMessagePolicy: "FallbackToLogsOnError"
    })
    attach().write("x\n")
    pass(5_000)
    assert.deepStrictEqual([ended()?.exitCode, ended()?.message], [2, "start\nbad x\n"])
  })
})
