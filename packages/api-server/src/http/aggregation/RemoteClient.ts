import type { ClientRequest, IncomingMessage } from "node:http"
import { Agent, request as httpsRequest } from "node:https"
import { GuardedCall, goErrorText, resolveService } from "@rollcall/dynamic-admission/client"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Registry } from "../../core/registry/Registry.ts"
import { type RemoteVersion, serviceOf } from "../request/RemoteVersions.ts"
import { userHeaders } from "./userHeaders.ts"

/** The certificate by which other API servers trust this one to name users (`--proxy-client-cert-file`). */
export interface ProxyCertificate {
  readonly certificatePem: string
  readonly keyPem: string
}

/** The connections of an APIService, and what they depend on. */
interface Connections {
  readonly key: string
  readonly agent: Agent
}

export interface RemoteRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly user: UserInfo
  /** Names and values alternating. */
  readonly headers?: ReadonlyArray<string>
  readonly body?: Buffer
}

/** The methods of requests that say how long their body is, also if that is empty. */
const bodied: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/** The size of the largest document that is read as a whole. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

/** A whole answer. */
export interface Document {
  readonly code: number
  readonly type: string
  readonly text: string
}

const isTimeout = (error: Error): boolean => error.name === "TimeoutError" || error.name === "AbortError"

/** Sends requests to the API servers of APIServices. Upstream: kube-aggregator/pkg/controllers/status/remote. */
export class RemoteClient {
  private readonly registry: Registry
  private readonly certificate: () => ProxyCertificate | undefined
  readonly timers: TimersShape
  private readonly connections = new Map<string, Connections>()

  constructor(registry: Registry, timers: TimersShape, certificate: () => ProxyCertificate | undefined) {
    this.registry = registry
    this.timers = timers
    this.certificate = certificate
  }

  /** Returns where an APIService is reached now, as `host:port`, or why that is unknown. */
  addressOf(version: RemoteVersion): Result.Result<{ readonly host: string; readonly port: number }, string> {
    const { name, namespace, port } = serviceOf(version)
    return resolveService(this.registry, namespace, name, port)
  }

  /** Begins a request to an address; the caller handles its events. */
  begin(
    version: RemoteVersion,
    { host, port }: { readonly host: string; readonly port: number },
    { body, headers = [], method, path, user }: RemoteRequest
  ): ClientRequest {
    // Otherwise Node sends the end of a body in chunks, which would be the first bytes of another protocol.
    const hasLength = (body?.length ?? 0) > 0 || bodied.has(method)
    const length = hasLength ? ["Content-Length", String(body?.length ?? 0)] : []
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`
    const request = httpsRequest({
      method,
      host,
      port,
      path,
      agent: this.agentOf(version),
      // As an array, since one name may have several values.
      headers: ["Host", authority, ...headers, ...userHeaders(user), ...length]
    })
    return request
  }

  /** Reads a document within a time. `url` in errors is that of the address. */
  read(
    version: RemoteVersion,
    request: Omit<RemoteRequest, "method">,
    timeoutMs: number,
    done: (result: Result.Result<Document, string>) => void
  ): void {
    const address = this.addressOf(version)
    if (Result.isFailure(address)) {
      done(Result.fail(address.failure))
      return
    }
    const { host, port } = address.success
    const shown = JSON.stringify(`https://${host}:${port}${request.path}`)
    const call = new GuardedCall(this.timers, "answer of another API server", { path: request.path }, done)
    const failure = (why: string) => Result.fail(`Get ${shown}: ${why}`)
    const run = (part: () => void) => call.run(part, () => failure("internal error"))
    const sent = this.begin(version, address.success, { ...request, method: "GET" })
    const finish = (result: Result.Result<Document, string>) => {
      this.timers.cancel(timer)
      call.finish(result)
    }
    const fail = (why: string) => finish(failure(why))
    const timer = this.timers.after(timeoutMs, () => {
      fail("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
      sent.destroy()
    })
    sent.on("error", (error) => run(() => fail(isTimeout(error) ? "context deadline exceeded" : goErrorText(error))))
    sent.on("response", (response) =>
      readWhole(response, (text) =>
        run(() => {
          if (text === undefined) {
            fail("unexpected EOF")
            sent.destroy()
            return
          }
          const type = response.headers["content-type"] ?? ""
          finish(Result.succeed({ code: response.statusCode ?? 0, type, text }))
        })
      )
    )
    sent.end()
  }

  /** Closes the connections of an APIService that is gone or served elsewhere. */
  forget(name: string): void {
    this.connections.get(name)?.agent.destroy()
    this.connections.delete(name)
  }

  private agentOf(version: RemoteVersion): Agent {
    const { insecureSkipTLSVerify = false, ...spec } = version.apiService.spec ?? {}
    const caBundle = spec.caBundle ?? ""
    const { name, namespace } = serviceOf(version)
    const certificate = this.certificate()
    const key = JSON.stringify([name, namespace, caBundle, insecureSkipTLSVerify, certificate?.certificatePem])
    const known = this.connections.get(version.name)
    if (known?.key === key) return known.agent
    known?.agent.destroy()
    const agent = new Agent({
      keepAlive: true,
      servername: `${name}.${namespace}.svc`,
      rejectUnauthorized: !insecureSkipTLSVerify,
      ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString() }),
      ...(certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.keyPem })
    })
    this.connections.set(version.name, { key, agent })
    return agent
  }
}

const readWhole = (response: IncomingMessage, done: (text: string | undefined) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_DOCUMENT_BYTES) chunks.push(chunk)
    else done(undefined)
  })
  response.on("end", () => done(Buffer.concat(chunks).toString()))
  response.on("error", () => done(undefined))
}
