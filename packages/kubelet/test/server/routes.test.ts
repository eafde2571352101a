import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

/** What a v1.36.2 kubelet answers, whose node runs the pod `p` with the container `c`. */
const recorded = `
GET / 404 404 page not found
GET /healthz/ 404 404 page not found
GET /healthz/nothing 404 404 page not found
POST /healthz 200 ok
GET /livez 404 404 page not found
POST /pods 405 GET 405: Method Not Allowed
OPTIONS /pods 405 GET 405: Method Not Allowed
HEAD /pods 405 GET 405: Method Not Allowed
GET /pods/x 404 404: Page Not Found
GET /runningpods 307 /runningpods/ <a href="/runningpods/">Temporary Redirect</a>.
GET /stats 307 /stats/ <a href="/stats/">Temporary Redirect</a>.
GET /stats/ 404 404: Page Not Found
GET /stats/container 404 404: Page Not Found
PUT /stats/summary 405 GET, POST 405: Method Not Allowed
GET /metrics/ 404 404 page not found
GET /metrics/nothing 404 404 page not found
GET /spec/ 404 404 page not found
GET /configz/ 404 404 page not found
GET /logs 307 /logs/ <a href="/logs/">Temporary Redirect</a>.
POST /logs/ 405 GET 405: Method Not Allowed
GET /debug 404 404 page not found
GET /debug/pprof 307 /debug/pprof/ <a href="/debug/pprof/">Temporary Redirect</a>.
GET /containerLogs/default/p 404 404: Page Not Found
POST /containerLogs/default/p/c 405 GET 405: Method Not Allowed
GET /run/default/p/c 405 POST 405: Method Not Allowed
POST /run/default/p 404 404: Page Not Found
GET /exec/default/p/c 400 you must specify at least 1 of stdin, stdout, stderr
PUT /exec/default/p/c?output=1 405 GET, POST 405: Method Not Allowed
POST /exec/default/none/c?output=1 404 pod does not exist
POST /exec/default/p/none?output=1 500 container not found ("none")
POST /attach/default/none/c 400 you must specify at least 1 of stdin, stdout, stderr
POST /attach/default/p/none?output=1 500 container none not found in pod p_default
POST /portForward/default/none 404 pod does not exist
POST /portForward/default/p/wrong 404 pod not found
GET /checkpoint/default/p/c 405 POST 405: Method Not Allowed
GET //pods 307 /pods <a href="/pods">Temporary Redirect</a>.
GET /pods/../healthz 307 /healthz <a href="/healthz">Temporary Redirect</a>.`

const setUp = () => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  made.api.createPod("p", "n1", { containers: [{ name: "c", image: "i", command: ["sleep", "1000"] }] })
  made.untilMs(5_000)
  return (method: string, url: string) => {
    const [path = "", asked] = url.split("?")
    const query = new Map(asked === undefined ? [] : [[asked.split("=")[0] ?? "", [asked.split("=")[1] ?? ""]]])
    const { body, code, headers = {} } = made.kubelet.serve({ method, path, query })
    const text = typeof body === "string" ? body.trim() : "a stream"
    return [code, ...Object.values(headers), text].join(" ")
  }
}

describe("the paths of a kubelet's server", () => {
  it("answer as those of Kubernetes' kubelet, whatever they are asked", () => {
    const ask = setUp()
    for (const line of recorded.trim().split("\n")) {
      const [method = "", url = ""] = line.split(" ")
      assert.strictEqual(`${method} ${url} ${ask(method, url)}`, line)
    }
  })

  it("keep the query of a redirected request, and nothing that ends its line", () => {
    const ask = setUp()
    assert.match(ask("GET", "/logs?a b\r\n&'=\"<x>"), /^307 \/logs\/\?a%20b%0D%0A%26'=%22%3Cx%3E /)
    for (const path of ["/__proto__", "/constructor", ""]) assert.match(ask("GET", path), /^(?:404|307) /)
  })

  it("refuse attaching to another pod of the same name, as its uid says", () => {
    assert.strictEqual(setUp()("POST", "/attach/default/p/other/c?output=1"), "500 pod p_default not found")
  })
})
