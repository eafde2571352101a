import type { Container, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type KubeletStream, makeModelledPodRuntime, type StreamInput } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

interface Received {
  readonly text: () => string
  readonly errors: () => string
  readonly ended: () => unknown
  readonly input: StreamInput
  setFull: (isFull: boolean) => void
}

const NOT_ENDED = Symbol("not ended")

const openStream = (stream: KubeletStream): Received => {
  let text = ""
  let errors = ""
  let ended: unknown = NOT_ENDED
  let isFull = false
  const input = stream.open({
    write: (to, piece) => {
      if (to === 1) text += piece
      else errors += piece
    },
    isFull: () => isFull,
    end: (status) => {
      ended = status ?? "over"
    }
  })
  return {
    text: () => text,
    errors: () => errors,
    ended: () => ended,
    input,
    setFull: (now) => {
      isFull = now
    }
  }
}

const setUp = () => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  const stream = (path: string, query: Readonly<Record<string, string | ReadonlyArray<string>>> = {}) => {
    const values = Object.entries(query).map(([name, given]) => [name, [given].flat()] as const)
    const answer = made.kubelet.serve({ method: "GET", path, query: new Map(values) })
    if (typeof answer.body === "string") throw new Error(`${answer.code}: ${answer.body}`)
    if (!("open" in answer.body)) throw new Error("ports")
    return openStream(answer.body)
  }
  return {
    ...made,
    /** Creates a pod of one container, whose command runs from 3 s on. */
    run: (command: ReadonlyArray<string>, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}) => {
      const containers = [{ name: "c", image: "i", command, ...container }]
      made.api.createPod("p", "n1", { containers, restartPolicy: "Never", ...spec })
      made.untilMs(3_000)
    },
    logs: (query: Readonly<Record<string, string>> = {}) => stream("/containerLogs/default/p/c", query),
    exec: (command: ReadonlyArray<string>, query: Readonly<Record<string, string>> = {}) =>
      stream("/exec/default/p/c", { command, stdout: "true", ...query }),
    attach: (query: Readonly<Record<string, string>>) => stream("/attach/default/p/c", { stdout: "true", ...query })
  }
}

const counter = ["sh", "-c", "i=0; while true; do echo line $i; i=$((i+1)); sleep 1; done"]

describe("the log of a modelled container", () => {
  it("has what the command has written until now, and ends there", () => {
    const { logs, run, untilMs } = setUp()
    run(counter)
    untilMs(5_500)
    const all = logs()
    assert.strictEqual(all.ended(), "over")
    const lines = all.text().split("\n").slice(0, -1)
    assert.deepStrictEqual(lines.slice(0, 3), ["line 0", "line 1", "line 2"])
    assert.strictEqual(logs({ tailLines: "2" }).text(), `${lines.slice(-2).join("\n")}\n`)
    assert.strictEqual(logs({ tailLines: "0" }).text(), "")
    assert.strictEqual(logs({ limitBytes: "9" }).text(), "line 0\nli")
    assert.strictEqual(logs({ sinceSeconds: "1" }).text(), `${lines.at(-1)}\n`)
    assert.match(logs({ timestamps: "true" }).text(), /^2026-01-01T00:00:0\d\.000000000Z line 0\n2026/)
  })

  it("counts bytes, and refuses options as upstream does", () => {
    const { kubelet, logs, run } = setUp()
    run(["sh", "-c", "echo äöü"])
    assert.strictEqual(logs({ limitBytes: "3" }).text(), "ä")
    assert.strictEqual(logs({ limitBytes: "4" }).text(), "äö")
    assert.strictEqual(logs({ tail: "0" }).text(), "")
    assert.strictEqual(logs({ tail: "all", tailLines: "0", stream: "All" }).text(), "äöü\n")
    const refused = (query: Readonly<Record<string, string>>) => {
      const values = Object.entries(query).map(([name, value]) => [name, [value]] as const)
      const { body, code } = kubelet.serve({
        method: "GET",
        path: "/containerLogs/default/p/c",
        query: new Map(values)
      })
      return [code, body]
    }
    const undecodable = [400, '{"message": "Unable to decode query."}']
    const invalid = [422, '{"message": "Invalid request."}']
    assert.deepStrictEqual(refused({ tailLines: "x" }), undecodable)
    assert.deepStrictEqual(refused({ sinceTime: "yesterday" }), undecodable)
    assert.deepStrictEqual(refused({ tailLines: "-1" }), invalid)
    assert.deepStrictEqual(refused({ limitBytes: "0" }), invalid)
    assert.deepStrictEqual(refused({ sinceSeconds: "1", sinceTime: "2026-01-01T00:00:00Z" }), invalid)
    assert.deepStrictEqual(refused({ stream: "stdout" }), invalid)
    assert.deepStrictEqual(refused({ stream: "Stdout", tailLines: "1" }), invalid)
    const gate = "Please enable PodLogsQuerySplitStreams feature gate in kubelet"
    assert.deepStrictEqual(refused({ stream: "Stderr" }), [
      400,
      `unable to return the given log stream: "Stderr". ${gate}`
    ])
  })

  it("is followed until the container ends", () => {
    const { logs, run, untilMs } = setUp()
    run(["sh", "-c", "echo one; sleep 5; echo two >&2; sleep 5; exit 3"])
    const followed = logs({ follow: "true" })
    assert.deepStrictEqual([followed.text(), followed.ended()], ["one\n", NOT_ENDED])
    untilMs(9_000)
    assert.deepStrictEqual([followed.text(), followed.ended()], ["one\ntwo\n", NOT_ENDED])
    untilMs(16_000)
    assert.strictEqual(followed.ended(), "over")
    assert.strictEqual(logs({ follow: "true" }).ended(), "over")
    assert.strictEqual(logs({ follow: "true" }).text(), "one\ntwo\n")
  })

  it("is followed until the pod is killed, and not after its client is gone", () => {
    const { kubelet, logs, run, untilMs } = setUp()
    run(counter)
    const followed = logs({ follow: "true" })
    const left = logs({ follow: "true" })
    left.input.close()
    const before = left.text()
    kubelet.powerLost()
    untilMs(10_000)
    assert.strictEqual(followed.ended(), "over")
    assert.deepStrictEqual([left.text(), left.ended()], [before, NOT_ENDED])
  })

  it("waits for a client that does not read", () => {
    const { logs, run, untilMs } = setUp()
    run(counter)
    const followed = logs({ follow: "true" })
    followed.setFull(true)
    const before = followed.text()
    untilMs(60_000)
    assert.strictEqual(followed.text(), before)
    followed.setFull(false)
    untilMs(61_000)
    assert.isAbove(followed.text().split("\n").length, 50)
  })

  it("has the log of the run before the present one", () => {
    const { logs, run, untilMs } = setUp()
    run(["sh", "-c", "echo run; sleep 4; echo done"], {}, { restartPolicy: "Always" })
    untilMs(20_000)
    assert.strictEqual(logs({ previous: "true" }).text(), "run\ndone\n")
    assert.match(logs().text(), /^run\n/)
  })

  it("has what the run before the present one found in its files", () => {
    const { logs, run, untilMs } = setUp()
    const command = ["sh", "-c", "test -f /v/x && cat /v/x; echo more >> /v/x; sleep 4"]
    const volumes = [{ name: "v", emptyDir: {} }]
    run(command, { volumeMounts: [{ name: "v", mountPath: "/v" }] }, { restartPolicy: "Always", volumes })
    untilMs(9_000)
    assert.deepStrictEqual([logs({ previous: "true" }).text(), logs().text()], ["", "more\n"])
  })

  it("is computed once for all its readers, and anew some time after the last one", () => {
    const { attempts, logs, run, untilMs } = setUp()
    run(counter)
    const computed = () =>
      attempts.filter(({ request }) => request.verb === "list" && request.kind === "Service").length
    const readers = Array.from({ length: 300 }, () => logs({ follow: "true" }))
    for (const reader of readers.slice(0, 150)) reader.setFull(true)
    untilMs(9_500)
    const [full = "", ...texts] = new Set(readers.map(({ text }) => text()))
    assert.deepStrictEqual([texts.length, texts[0]?.startsWith(full)], [1, true])
    for (const reader of readers) reader.input.close()
    untilMs(15_000)
    assert.strictEqual(
      logs()
        .text()
        .startsWith(texts[0] ?? "nothing"),
      true
    )
    assert.strictEqual(computed(), 1)
    untilMs(30_000)
    assert.match(logs({ tailLines: "1" }).text(), /^line 2\d\n$/)
    assert.strictEqual(computed(), 2)
  })

  it("is bounded however long the command has run, and however fast it writes", () => {
    const { logs, run, time, untilMs } = setUp()
    run(["sh", "-c", "while true; do echo tick; sleep 1; done"])
    untilMs(86_400_000)
    const ticks = logs()
    time.runUntil(START + 86_400_000 + 1_000)
    assert.strictEqual(ticks.ended(), "over")
    const lines = ticks.text().split("\n").length
    assert.isTrue(lines > 9_000 && lines < 11_000, String(lines))
  })

  it("says where it stops to be modelled", () => {
    const { logs, run } = setUp()
    run(["sh", "-c", "echo first; curl example.org; echo last"])
    const [first, second] = logs().text().split("\n")
    assert.strictEqual(first, "first")
    assert.match(second ?? "", /^rollcall: this container is modelled/)
  })
})

describe("a command in a modelled container", () => {
  const volumes = [
    { name: "cm", configMap: { name: "cm" } },
    { name: "s", secret: { secretName: "s", items: [{ key: "password", path: "pw" }] } },
    { name: "tmp", emptyDir: {} }
  ]
  const container: Partial<Container> = {
    env: [
      { name: "A", value: "1" },
      { name: "MODE", valueFrom: { configMapKeyRef: { name: "cm", key: "mode" } } },
      { name: "ME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }
    ],
    volumeMounts: [
      { name: "cm", mountPath: "/etc/cm" },
      { name: "s", mountPath: "/etc/s" },
      { name: "tmp", mountPath: "/scratch" }
    ]
  }
  const setUpPod = () => {
    const made = setUp()
    made.api.ask({
      verb: "create",
      kind: "ConfigMap",
      namespace: "default",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "cm" }, data: { mode: "fast" } }
    })
    made.api.ask({
      verb: "create",
      kind: "Secret",
      namespace: "default",
      object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { password: "aHVudGVyMg==" } }
    })
    made.run(["sleep", "1000000"], container, { volumes })
    return {
      ...made,
      /** What a command writes, and how it ends. */
      runs: (...command: ReadonlyArray<string>) => {
        const session = made.exec(command)
        made.time.runUntil(made.time.timers.now() + 50)
        return [session.text() + session.errors(), session.ended()]
      }
    }
  }

  it("writes, and ends with its exit code", () => {
    const { exec, runs, time } = setUpPod()
    assert.deepStrictEqual(runs("echo", "a", "b"), ["a b\n", 0])
    assert.deepStrictEqual(runs("sh", "-c", "echo $A; exit 3"), ["1\n", 3])
    assert.deepStrictEqual(runs("hostname"), ["p\n", 0])
    assert.include(runs("env")[0] as string, "MODE=fast\nME=p\n")
    assert.deepStrictEqual(runs("cat", "/nope"), ["cat: can't open '/nope': No such file or directory\n", 1])
    const [said, status] = runs("curl", "x")
    assert.strictEqual(status, 127)
    assert.match(String(said), /^rollcall: this container is modelled and cannot run "curl x"/)
    const slow = exec(["sh", "-c", "sleep 5; echo late"])
    time.runUntil(time.timers.now() + 5_050)
    assert.deepStrictEqual([slow.text(), slow.ended()], ["late\n", 0])
  })

  it("finds the files of the volumes, and what commands before it have written", () => {
    const { exec, runs, time } = setUpPod()
    assert.deepStrictEqual(runs("cat", "/etc/cm/mode", "/etc/s/pw"), ["fasthunter2", 0])
    assert.deepStrictEqual(runs("ls", "/etc/cm"), ["mode\n", 0])
    assert.deepStrictEqual(runs("sh", "-c", "echo hi > /scratch/x; echo ho >> /scratch/x"), ["", 0])
    assert.deepStrictEqual(runs("cat", "/scratch/x"), ["hi\nho\n", 0])
    assert.deepStrictEqual(runs("sh", "-c", "[ -f /scratch/x ] && [ -d /etc/cm ] && echo both"), ["both\n", 0])
    assert.deepStrictEqual(runs("sh", "-c", "echo x > /etc/cm/mode")[1], 1)
    const fill = exec(["sh", "-c", `while echo ${"x".repeat(1_000)} >> /scratch/y; do :; done; exit 7`])
    time.runUntil(time.timers.now() + 2_000)
    assert.deepStrictEqual([fill.errors(), fill.ended()], ["sh: write error: No space left on device\n", 7])
  })

  it("finds the files of the whole machine, as kubectl debug of a node mounts it", () => {
    const { exec, run } = setUp()
    const volumeMounts = [{ name: "host", mountPath: "/host" }]
    run(["sleep", "60"], { volumeMounts }, { volumes: [{ name: "host", hostPath: { path: "/" } }] })
    assert.strictEqual(exec(["cat", "/host/etc/hostname"]).text(), "n1\n")
    assert.match(exec(["ls", "/host"]).text(), /^etc\n/)
  })

  it("is a shell at a terminal", () => {
    const { exec, time } = setUpPod()
    const shell = exec(["sh"], { stdin: "true", tty: "true" })
    const settle = () => time.runUntil(time.timers.now() + 50)
    settle()
    assert.strictEqual(shell.text(), "/ # ")
    shell.input.write("X=1\recho $Z\x7fX\r")
    settle()
    assert.strictEqual(shell.text(), "/ # X=1\r\n/ # echo $Z\b \bX\r\n1\r\n/ # ")
    shell.input.write("sleep 1000; echo never\r")
    settle()
    shell.input.write("\x03")
    settle()
    assert.match(shell.text(), /never\r\n\^C\r\n\/ # $/)
    shell.input.write("exit 5\r")
    settle()
    assert.strictEqual(shell.ended(), 5)
  })

  it("reads its input to the end", () => {
    const { exec, time } = setUpPod()
    const cat = exec(["cat"], { stdin: "true" })
    cat.input.write("a\nb")
    cat.input.write("c")
    cat.input.end()
    time.runUntil(time.timers.now() + 50)
    assert.deepStrictEqual([cat.text(), cat.ended()], ["a\nbc", 0])
    const none = exec(["cat"])
    time.runUntil(time.timers.now() + 50)
    assert.strictEqual(none.ended(), 0)
  })

  it("ends with its container", () => {
    const { api, exec, untilMs } = setUpPod()
    const session = exec(["sleep", "1000"])
    api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
    untilMs(60_000)
    assert.strictEqual(session.ended(), 137)
  })
})

describe("a client that attaches", () => {
  it("sees what the command writes from then on", () => {
    const { attach, run, untilMs } = setUp()
    run(["sh", "-c", "echo one; sleep 5; echo two; sleep 1"])
    const attached = attach({})
    untilMs(20_000)
    assert.deepStrictEqual([attached.text(), attached.ended()], ["two\n", 0])
  })

  it("ends the container with the exit of its shell", () => {
    const { api, attach, run, untilMs } = setUp()
    run(["sh"], { stdin: true, tty: true })
    const attached = attach({ stdin: "true", tty: "true" })
    attached.input.write("exit 4\r")
    untilMs(20_000)
    assert.strictEqual(attached.ended(), 0)
    const { containerStatuses, phase } = api.pod("p")?.status ?? {}
    assert.deepStrictEqual([phase, containerStatuses?.[0]?.state?.terminated?.exitCode], ["Failed", 4])
  })
})

describe("a client that attaches to a command that reads its input", () => {
  const attachTo = (command: ReadonlyArray<string>, written: string, container: Partial<Container> = {}) => {
    const { api, attach, run, untilMs } = setUp()
    run(command, { stdin: true, stdinOnce: true, ...container })
    const attached = attach({ stdin: "true", stderr: "true" })
    attached.input.write(written)
    attached.input.end()
    untilMs(20_000)
    const [status] = api.pod("p")?.status?.containerStatuses ?? []
    return [attached.text(), attached.ended(), status?.state?.terminated?.exitCode]
  }

  it("writes to it, and its exit ends the container", () => {
    assert.deepStrictEqual(attachTo(["sh", "-c", "cat && exit 42"], "abcd1234"), ["abcd1234", 0, 42])
    assert.deepStrictEqual(attachTo(["cat"], "a\nb\n"), ["a\nb\n", 0, 0])
    const greets = ["sh", "-c", "echo -n name:; read name; echo hello $name from $(HOME_TOWN)"]
    const env = [{ name: "HOME_TOWN", value: "Ulm" }]
    assert.deepStrictEqual(attachTo(greets, "Ada\nBob\n", { env }), ["hello Ada from Ulm\n", 0, 0])
    for (const shell of ["sh", "/bin/bash", "ash"])
      assert.deepStrictEqual(attachTo([shell], "echo hi\nexit 3\n"), ["hi\n", 0, 3], shell)
  })

  it("sees what a command writes that does not read it", () => {
    const command = ["sh", "-c", "sleep 5; echo done"]
    assert.deepStrictEqual(attachTo(command, "abcd1234"), ["done\n", 0, 0])
  })
})

describe("the ports of a modelled pod", () => {
  it("are closed, and say so to each that connects", () => {
    const { kubelet, run } = setUp()
    run(counter)
    const ask = (path: string) => kubelet.serve({ method: "POST", path, query: new Map() })
    const { body, code } = ask("/portForward/default/p")
    assert.strictEqual(code, 101)
    if (typeof body === "string" || !("connect" in body)) throw new Error("no ports")
    const told = openStream(body.connect(80)).ended()
    assert.match(JSON.stringify(told), /error forwarding port 80 to pod p, uid [\w-]+: this node is modelled, and its/)
    assert.deepStrictEqual(
      [ask("/portForward/default/p/other").body, ask("/portForward/default/q").code],
      ["pod not found", 404]
    )
  })
})
