import { assert, describe, it } from "vitest"
import { kubeletConfig } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const setUp = (config: Parameters<typeof kubeletConfig>[0] = {}) => {
  const { kubelet, untilMs } = setUpKubelet({ config: kubeletConfig(config) })
  kubelet.startKubelet()
  untilMs(1_000)
  return (path: string, parameters: Readonly<Record<string, string>> = {}, method = "GET") => {
    const query = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]))
    const { body, code } = kubelet.serve({ method, path, query })
    return [code, typeof body === "string" ? body : "a stream"] as const
  }
}

const lines = "[+]ping ok\n[+]log ok\n[+]syncloop ok\n"

describe("the paths of a kubelet about itself", () => {
  it("have each check of its health, and count them", () => {
    const ask = setUp()
    assert.deepStrictEqual(ask("/healthz"), [200, "ok"])
    assert.deepStrictEqual(ask("/healthz", { verbose: "" }), [200, `${lines}healthz check passed\n`])
    for (const check of ["ping", "log", "syncloop"]) assert.deepStrictEqual(ask(`/healthz/${check}`), [200, "ok"])
    assert.strictEqual(ask("/healthz/other")[0], 404)
    const [, slis] = ask("/metrics/slis")
    assert.include(slis, 'kubernetes_healthchecks_total{name="syncloop",status="success",type="healthz"} 3\n')
  })

  it("show a folder without logs, and refuse what a modelled process does not have", () => {
    const ask = setUp()
    assert.match(ask("/logs/")[1], /<pre>\n<\/pre>\n$/)
    assert.deepStrictEqual(ask("/logs/messages"), [404, "404 page not found\n"])
    assert.deepStrictEqual(ask("/debug/pprof/heap"), [405, "profiling endpoint is disabled.\n"])
    assert.deepStrictEqual(ask("/debug/flags/v", {}, "PUT"), [405, "flags endpoint is disabled.\n"])
  })

  it("are switched off by the configuration, in upstream's words", () => {
    assert.deepStrictEqual(setUp({ enableSystemLogHandler: false })("/logs/"), [405, "logs endpoint is disabled.\n"])
    const ask = setUp({ enableDebuggingHandlers: false })
    const refused = ["/run/a/b/c", "/exec/a/b/c", "/attach/a/b/c", "/portForward/a/b", "/containerLogs/a/b/c", "/logs/"]
    for (const path of [...refused, "/runningpods/", "/debug/pprof/heap"]) {
      assert.deepStrictEqual(ask(path), [405, "Debug endpoints are disabled.\n"])
    }
    for (const path of ["/configz", "/checkpoint/a/b/c"]) assert.strictEqual(ask(path)[0], 404)
    for (const path of ["/healthz", "/pods", "/metrics", "/stats/summary"]) assert.strictEqual(ask(path)[0], 200)
  })

  it("are as if they were switched off on the read-only port", () => {
    const { kubelet, untilMs } = setUpKubelet()
    kubelet.startKubelet()
    untilMs(1_000)
    const codeOf = (path: string) => kubelet.serve({ method: "GET", path, query: new Map(), isReadOnly: true }).code
    assert.deepStrictEqual(
      ["/pods", "/healthz", "/exec/a/b/c", "/logs/", "/configz"].map(codeOf),
      [200, 200, 405, 405, 404]
    )
  })
})
