import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime, type SettledResponse, whenAnswered } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const setUp = () => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  made.api.createPod("p", "n1", { containers: [{ name: "c", image: "i", command: ["sleep", "1000"] }] })
  made.untilMs(5_000)
  const answers: Array<SettledResponse> = []
  const ask = (path: string, command?: string, method = "POST") => {
    const query = new Map(command === undefined ? [] : [["cmd", [command]]])
    return whenAnswered(made.kubelet.serve({ method, path, query }), (answer) => answers.push(answer))
  }
  const shown = () => answers.map(({ body, code, contentType }) => `${code} ${contentType}: ${body}`)
  return { ...made, ask, shown }
}

const RUN = "/run/default/p/c"
const TEXT = "text/plain; charset=utf-8"

describe("a command that a kubelet is asked to run", () => {
  it("answers with what it wrote, once it has ended", () => {
    const { ask, shown, untilMs } = setUp()
    ask(RUN, "echo a b")
    ask(RUN, "sleep 3")
    untilMs(6_000)
    assert.deepStrictEqual(shown(), ["200 application/json: a b\n"])
    untilMs(9_000)
    assert.deepStrictEqual(shown().slice(1), ["200 : "])
  })

  it("is an error with its status and what it wrote to the standard error", () => {
    const { ask, shown, untilMs } = setUp()
    ask(RUN, "cat /none")
    untilMs(6_000)
    assert.match(shown()[0] ?? "", /^500 text\/plain; charset=utf-8: command 'cat \/none' exited with 1: cat: .*\/none/)
  })

  it("goes on to its end when it has written more than is kept", () => {
    const { ask, shown, untilMs } = setUp()
    const name = "x".repeat(64 * 1024)
    ask(RUN, `cat ${Array.from({ length: 300 }, () => `/${name}`).join(" ")}`)
    untilMs(60_000)
    assert.match((shown()[0] ?? "").slice(0, 60), /^500 .*: command 'cat \/x/)
  })

  it("is refused for what does not run, and by another method", () => {
    const { ask, shown } = setUp()
    ask("/run/default/none/c", "ls")
    ask("/run/default/p/none", "ls")
    ask(RUN, "ls", "GET")
    assert.deepStrictEqual(shown(), [
      `404 ${TEXT}: pod does not exist`,
      `500 ${TEXT}: container not found ("none")`,
      `405 ${TEXT}: 405: Method Not Allowed`
    ])
  })

  it("is found by the name of its pod, whatever uid the path has", () => {
    const { ask, shown, untilMs } = setUp()
    ask("/run/default/p/another-uid/c", "echo a")
    untilMs(6_000)
    assert.deepStrictEqual(shown(), ["200 application/json: a\n"])
  })

  it("ends with its client", () => {
    const { ask, shown, untilMs } = setUp()
    const giveUp = ask(RUN, "sleep 3")
    untilMs(6_000)
    giveUp()
    untilMs(20_000)
    assert.deepStrictEqual(shown(), [])
  })
})
