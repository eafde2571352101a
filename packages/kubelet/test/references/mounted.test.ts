import type { Container, KubeObject, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { KubeletStream, ReferencedKind } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const setUp = () => {
  const made = setUpKubelet()
  const { api, kubelet, time } = made
  kubelet.startKubelet()
  made.untilMs(1_000)
  const write = (verb: "create" | "update", kind: ReferencedKind, name: string, a: string) => {
    const data = kind === "Secret" ? { stringData: { a } } : { data: { a } }
    const object: KubeObject & object = { apiVersion: "v1", kind, metadata: { name, namespace: "default" }, ...data }
    api.ask({ verb, kind, namespace: "default", object, name })
  }
  return {
    ...made,
    write,
    run: (volumes: NonNullable<PodSpec["volumes"]>, container: Partial<Container>) => {
      const command = ["sleep", "9999"]
      api.createPod("p", "n1", { volumes, containers: [{ name: "c", image: "busybox", command, ...container }] })
      made.untilMs(4_000)
    },
    afterMs: (ms: number) => time.runUntil(time.timers.now() + ms),
    exec: (...command: ReadonlyArray<string>): string => {
      const query = new Map(Object.entries({ command, stdout: ["true"] }))
      const { body } = kubelet.serve({ method: "GET", path: "/exec/default/p/c", query })
      if (typeof body === "string") return body
      if (!("open" in body)) throw new Error("ports")
      let text = ""
      const stream: KubeletStream = body
      stream.open({ write: (_, piece) => (text += piece), isFull: () => false, end: () => {} })
      time.runUntil(time.timers.now() + 50)
      return text
    },
    lists: () => made.attempts.filter(({ request }) => request.verb === "list" && request.kind !== "Service").length
  }
}

const whole = { name: "v", mountPath: "/v" }
const ofPath = { name: "v", mountPath: "/path", subPath: "a" }
const volumes = [{ name: "v", configMap: { name: "cm" } }]

describe("a file of a ConfigMap", () => {
  it("follows it with the next sync of its pod, once a command has read it", () => {
    const { afterMs, exec, run, write } = setUp()
    write("create", "ConfigMap", "cm", "1")
    run(volumes, { volumeMounts: [whole] })
    assert.strictEqual(exec("cat", "/v/a"), "1")
    write("update", "ConfigMap", "cm", "2")
    afterMs(1_000)
    assert.strictEqual(exec("cat", "/v/a"), "1")
    afterMs(90_000)
    assert.strictEqual(exec("cat", "/v/a"), "2")
    write("update", "ConfigMap", "cm", "3")
    afterMs(90_000)
    assert.strictEqual(exec("cat", "/v/a"), "3")
  })

  it("stays as its container has started with it, in a mount of a path and in variables", () => {
    const { afterMs, exec, run, write } = setUp()
    write("create", "ConfigMap", "cm", "1")
    write("create", "Secret", "s", "1")
    const env = [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "a" } } }]
    run(volumes, { env, volumeMounts: [whole, ofPath] })
    assert.deepStrictEqual([exec("cat", "/v/a", "/path"), exec("printenv", "A")], ["11", "1\n"])
    write("update", "ConfigMap", "cm", "2")
    write("update", "Secret", "s", "2")
    afterMs(90_000)
    assert.deepStrictEqual([exec("cat", "/v/a", "/path"), exec("printenv", "A")], ["21", "1\n"])
  })

  it("stays when the object is deleted, unless it is optional", () => {
    for (const [optional, expected] of [
      [false, "1"],
      [true, "cat: can't open '/v/a': No such file or directory\n"]
    ] as const) {
      const { afterMs, api, exec, run, write } = setUp()
      write("create", "ConfigMap", "cm", "1")
      run([{ name: "v", configMap: { name: "cm", optional } }], { volumeMounts: [whole] })
      assert.strictEqual(exec("cat", "/v/a"), "1")
      api.ask({ verb: "delete", kind: "ConfigMap", namespace: "default", name: "cm" })
      afterMs(90_000)
      assert.strictEqual(exec("sh", "-c", "cat /v/a 2>&1"), expected)
    }
  })

  it("is watched no longer than commands read it, and not before", () => {
    const { afterMs, exec, lists, run, time, write } = setUp()
    write("create", "ConfigMap", "cm", "1")
    run(volumes, { volumeMounts: [whole] })
    const before = lists()
    exec("cat", "/v/a")
    exec("cat", "/v/a")
    assert.strictEqual(lists() - before, 1)
    afterMs(400_000)
    write("update", "ConfigMap", "cm", "2")
    assert.strictEqual(exec("cat", "/v/a"), "2")
    assert.strictEqual(lists() - before, 2)
    assert.isAbove(time.timers.now(), 0)
  })

  it("is watched anew by another process of the kubelet", () => {
    const { afterMs, exec, kubelet, run, write } = setUp()
    write("create", "ConfigMap", "cm", "1")
    run(volumes, { volumeMounts: [whole] })
    assert.strictEqual(exec("cat", "/v/a"), "1")
    kubelet.stopKubelet()
    write("update", "ConfigMap", "cm", "2")
    kubelet.startKubelet()
    afterMs(5_000)
    assert.strictEqual(exec("cat", "/v/a"), "2")
  })
})
