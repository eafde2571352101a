import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { makeFolder } from "./cli.ts"

/** Returns the response to a request by its URL: a status code and a body. */
export type Responder = (url: string) => { readonly code: number; readonly body: object }

/** Serves lists by their paths; refuses forbidden ones. */
export const respondWithLists =
  (lists: ReadonlyMap<string, ReadonlyArray<object>>, forbidden: ReadonlyArray<string> = []): Responder =>
  (url) => {
    const path = url.split("?")[0] ?? ""
    if (!forbidden.includes(path)) {
      return { code: 200, body: { metadata: { resourceVersion: "1" }, items: lists.get(path) ?? [] } }
    }
    const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", code: 403, reason: "Forbidden" }
    return { code: 403, body: { ...refusal, metadata: {}, message: `${path} is forbidden` } }
  }

/** Serves a cluster that answers only lists, with additional files, while the body runs; records the requests. */
export const serveCluster = async (
  answers: Responder,
  body: (at: (name: string) => string, asked: ReadonlyArray<string>) => Promise<void>,
  files: Readonly<Record<string, string>> = {}
) => {
  const asked: Array<string> = []
  const server = createServer(({ method, url = "" }, response) => {
    asked.push(`${method} ${decodeURIComponent(url)}`)
    const { body: answer, code } = answers(url)
    response.writeHead(code, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: {} }]
  }
  try {
    await body(makeFolder({ ...files, kubeconfig: JSON.stringify(kubeconfig) }), asked)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
