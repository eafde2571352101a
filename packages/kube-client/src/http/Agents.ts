import type http from "node:http"
import https from "node:https"
import tls from "node:tls"
import type { TimersShape } from "@rollcall/time"
import type { Credential } from "../auth/Credentials.ts"
import type { ClientConfig } from "../ClientConfig.ts"
import { type Http2Sessions, http2Sessions } from "./Http2Sessions.ts"
import { nodeHttp } from "./nodeHttp.ts"

/** Connections to one server: a shared pool for requests, and one connection for each watch. */
export interface Agents {
  readonly isSecure: boolean
  readonly requests: http.Agent
  readonly watches: http.Agent
  /** The HTTP/2 sessions for watches; absent if HTTP/2 is not enabled, or a proxy is configured. */
  readonly sessions?: Http2Sessions
}

export interface AgentOptions {
  /** The size of the request pool; further requests wait for a free connection. */
  readonly maxSockets: number
  readonly http2: boolean
  readonly timers: TimersShape
}

const KEEP_ALIVE_PROBE_MS = 30_000

const makeAgents = (config: ClientConfig, credential: Credential, options: AgentOptions): Agents => {
  const { maxSockets } = options
  const { ca, insecure = false, serverName } = config.tls
  const cert = credential.cert ?? config.tls.cert
  const key = credential.key ?? config.tls.key
  const { hostname, port } = new URL(config.server)
  const isSecure = config.server.startsWith("https:")
  const commonOptions = {
    keepAlive: true,
    keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
    scheduling: "lifo" as const,
    ...(config.proxyUrl === undefined
      ? {}
      : { proxyEnv: isSecure ? { HTTPS_PROXY: config.proxyUrl } : { HTTP_PROXY: config.proxyUrl } })
  }
  if (!isSecure) {
    return {
      isSecure,
      requests: new nodeHttp.Agent({ ...commonOptions, maxSockets }),
      watches: new nodeHttp.Agent({ ...commonOptions, maxSockets: Number.POSITIVE_INFINITY })
    }
  }
  // One context for all: it is parsed once, and is not part of the key by which the agent looks for a free connection.
  const secureContext = tls.createSecureContext({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key })
  })
  const trust = {
    secureContext,
    rejectUnauthorized: !insecure,
    ...(serverName === undefined ? {} : { servername: serverName, checkServerIdentity: verifyServerName(serverName) })
  }
  const secureOptions = { ...commonOptions, ...trust, ALPNProtocols: ["http/1.1"] }
  const address = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? 443 : Number(port) }
  const usesHttp2 = options.http2 && config.proxyUrl === undefined
  return {
    isSecure,
    requests: new https.Agent({ ...secureOptions, maxSockets }),
    watches: new https.Agent({ ...secureOptions, maxSockets: Number.POSITIVE_INFINITY }),
    ...(usesHttp2 ? { sessions: http2Sessions(config.server, { ...trust, ...address }, options.timers) } : {})
  }
}

/** Verifies the certificate for this name, whatever host the connection goes to. */
const verifyServerName = (serverName: string) => (_: string, certificate: tls.PeerCertificate) =>
  tls.checkServerIdentity(serverName, certificate)

/**
 * Returns the agents of a credential; new ones are made when its certificate changes, as client-go closes connections
 * then.
 */
export const makeAgentPool = (config: ClientConfig, options: AgentOptions) => {
  let current: { readonly cert: string | undefined; readonly agents: Agents } | undefined
  const close = () => {
    current?.agents.requests.destroy()
    current?.agents.watches.destroy()
    current?.agents.sessions?.close()
    current = undefined
  }
  return {
    of: (credential: Credential): Agents => {
      if (current === undefined || current.cert !== credential.cert) {
        close()
        current = { cert: credential.cert, agents: makeAgents(config, credential, options) }
      }
      return current.agents
    },
    close
  }
}
