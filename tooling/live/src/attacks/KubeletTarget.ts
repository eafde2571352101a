import { writeFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nodeKubeconfig } from "../linux/linuxKubelet.ts"
import type { Program } from "../process/Program.ts"
import { freePort, startRollcall } from "../process/rollcall.ts"
import type { Answer, Request, Who } from "./Request.ts"

export const ATTACKED_NODE = "attacked"
/** The pod that runs on the attacked node, and its container, which writes without end. */
export const POD = "attacked-pod"
export const CONTAINER = "c"

/** A kubelet under attack, a process of its own beside the API server. */
export interface KubeletTarget {
  readonly program: Program
  readonly port: number
  /** Sends a request with a bearer token over a connection of its own; returns the status code, 0 without a response. */
  readonly ask: (
    token: string | undefined,
    request: Request & { readonly key?: string; readonly cert?: string }
  ) => Effect.Effect<number>
}

/** The API server of the kubelet. */
export interface KubeletCluster {
  readonly folder: string
  /** The path of its administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The certificate of its CA, as PEM. */
  readonly ca: string
  readonly ask: (who: Who, request: Request) => Effect.Effect<Answer>
}

const RESPONSE_TIMEOUT_MS = 20_000
const START_TIMEOUT_MS = 30_000

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: POD, namespace: "default" },
  spec: {
    nodeName: ATTACKED_NODE,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [
      {
        name: CONTAINER,
        image: "busybox",
        command: ["sh", "-c", `while true; do echo ${"x".repeat(200)}; sleep 0.01; done`]
      }
    ]
  }
}

const askAt =
  (port: number): KubeletTarget["ask"] =>
  (token, { body, cert, headers = {}, key, method, path, timeoutMs = RESPONSE_TIMEOUT_MS }) =>
    Effect.callback<number>((resume) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const client = cert === undefined || key === undefined ? {} : { cert, key }
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method,
          agent: false,
          rejectUnauthorized: false,
          timeout: timeoutMs,
          ...client,
          headers: { ...authorization, ...headers }
        },
        (response) => {
          response.resume()
          response.on("close", () => resume(Effect.succeed(response.statusCode ?? 0)))
        }
      )
      sent.on("upgrade", (response, socket) => {
        socket.destroy()
        resume(Effect.succeed(response.statusCode ?? 0))
      })
      sent.on("timeout", () => sent.destroy())
      sent.on("error", () => resume(Effect.succeed(0)))
      sent.end(body)
    })

/** Starts a kubelet on a modelled machine as a process of its own, with a pod that runs; the scope stops it. */
export const startKubeletTarget = Effect.fnUntraced(function* (target: KubeletCluster) {
  const { ask, ca, folder, kubeconfig } = target
  const port = yield* freePort
  const caFile = join(folder, "clients.crt")
  const config = join(folder, "kubelet.json")
  writeFileSync(caFile, ca)
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      address: "127.0.0.1",
      port,
      authentication: { x509: { clientCAFile: caFile } }
    })
  )
  const program = yield* startRollcall(
    "kubelet",
    `--kubeconfig=${nodeKubeconfig(kubeconfig, folder, ATTACKED_NODE)}`,
    `--hostname-override=${ATTACKED_NODE}`,
    `--config=${config}`,
    "--secure-port=0"
  )
  yield* program.waitForOutput(/"Started kubelet server"/)
  yield* ask("admin", { method: "POST", path: "/api/v1/namespaces/default/pods", body: pod })
  const endsMs = (yield* Clock.currentTimeMillis) + START_TIMEOUT_MS
  const isRunning = Effect.map(
    ask("admin", { method: "GET", path: `/api/v1/namespaces/default/pods/${POD}` }),
    ({ body }) => JSON.parse(body).status?.phase === "Running"
  )
  while (!(yield* isRunning)) {
    if ((yield* Clock.currentTimeMillis) > endsMs)
      return yield* Effect.die(new Error(`${POD} does not run:\n${program.stderr()}`))
    yield* Effect.sleep(50)
  }
  const kubelet: KubeletTarget = { program, port, ask: askAt(port) }
  return kubelet
})
