import type { Container, Pod, Probe } from "@rollcall/api"
import * as Result from "effect/Result"
import { type ProbeOutcome, passing } from "../ProbeOutcomes.ts"
import { flagsOf, isAgnhost } from "./agnhost.ts"
import { argvOf, commandOf, environmentOf, filesOfImage } from "./environment.ts"

const failing: ProbeOutcome = { passesFirst: false, changesAtMs: [] }
const refused: ProbeOutcome = { ...failing, failure: "refused" }
const failsAt = (atMs: number): ProbeOutcome => ({ passesFirst: true, changesAtMs: [atMs] })

/** What listens in a container: on one port, or on none. */
interface Server {
  readonly port: number | undefined
  /** What a GET of a path is answered with; undefined if that is not modelled. */
  readonly get: (path: string) => ProbeOutcome | undefined
  readonly grpc: ProbeOutcome | undefined
}

/** Serves the files of its container. Upstream: test/images/agnhost/test-webserver. */
const FILE_SERVER = "test-webserver"
const silent: Server = { port: undefined, get: () => refused, grpc: refused }
/** Upstream: test/images/agnhost/liveness/server.go. */
const ALIVE_MS = 10_000

const livePaths: Readonly<Record<string, ProbeOutcome>> = { "/healthz": failsAt(ALIVE_MS), "/started": passing }

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" }

/** Upstream: Go's net/http, Redirect. */
const redirectBody = (target: string): string =>
  `<a href="${target.replace(/[&<>"']/g, (character) => escapes[character] ?? "")}">Found</a>.\n\n`

const decoded = (text: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => decodeURIComponent(text.replaceAll("+", " "))))

/** Returns the first value of a query's parameter; one that is malformed stays as it is. */
const parameterOf = (query: string, name: string): string | undefined => {
  const pair = query.split("&").find((candidate) => candidate.split("=", 1)[0] === name)
  const value = pair?.slice(name.length + 1)
  return value === undefined ? undefined : (decoded(value) ?? value)
}

/** Returns what the server answers on a path. A redirect is followed if it stays on the server. */
const livenessOf = (path: string): ProbeOutcome => {
  const isRedirect = path.startsWith("/redirect?")
  const target = isRedirect ? (parameterOf(path.slice("/redirect?".length), "loc") ?? "/") : path
  return isRedirect && !target.startsWith("/")
    ? { ...passing, redirects: true, redirectBody: redirectBody(target) }
    : (livePaths[target] ?? failing)
}

/** Returns what a subcommand of agnhost serves; undefined if that is not modelled. */
const serverOf = ({ flags, name: subcommand }: Subcommand, container: Container): Server | undefined => {
  if (subcommand === "pause") return silent
  if (subcommand === "liveness") {
    return { port: 8080, get: livenessOf, grpc: failing }
  }
  if (subcommand === FILE_SERVER) {
    // A file that is not of the image may be in a volume.
    const get = (path: string) => (path === "/" || filesOfImage(container).includes(path) ? passing : undefined)
    return { port: Number(flags.get("port") ?? 80), get, grpc: failing }
  }
  if (subcommand !== "grpc-health-checking") return undefined
  const delay = Number(flags.get("delay-unhealthy-sec") ?? -1)
  const grpc = delay < 0 ? passing : failsAt(delay * 1000)
  return { port: Number(flags.get("port") ?? 5000), get: () => failing, grpc }
}

const portOf = (port: number | string | undefined, { ports = [] }: Container): number | undefined =>
  typeof port === "string" ? ports.find(({ name }) => name === port)?.containerPort : port

/** The program of agnhost that a container runs. */
interface Subcommand {
  readonly name: string
  readonly flags: ReadonlyMap<string, string>
}

const subcommandOf = (pod: Pod, container: Container): Subcommand | undefined => {
  const [path = "", name = "", ...rest] = argvOf(commandOf(container), environmentOf(pod, container)) ?? []
  const flags = isAgnhost(path.slice(path.lastIndexOf("/") + 1)) ? flagsOf(rest) : undefined
  return flags === undefined ? undefined : { name, flags }
}

/** Returns how a probe over the network goes in a container that runs agnhost; undefined if that is not modelled. */
export const serverOutcomeOf = (pod: Pod, container: Container, probe: Probe): ProbeOutcome | undefined => {
  const { grpc, httpGet, tcpSocket } = probe
  const subcommand = subcommandOf(pod, container)
  const server = subcommand === undefined ? undefined : serverOf(subcommand, container)
  if (
    grpc !== undefined &&
    server?.grpc === passing &&
    (grpc.service ?? "") !== (subcommand?.flags.get("service") ?? "")
  )
    return failing
  const target = httpGet ?? tcpSocket ?? grpc
  // Another host is not the container.
  if (server === undefined || target === undefined || (httpGet ?? tcpSocket)?.host !== undefined) return undefined
  if (portOf(target.port, container) !== server.port) return refused
  if (httpGet !== undefined) return server.get(httpGet.path ?? "/")
  return grpc === undefined ? passing : server.grpc
}

/** Whether a container runs agnhost, and listens on a port or may do so; undefined if it runs anything else. */
export const agnhostListens = (pod: Pod, container: Container): boolean | undefined => {
  const subcommand = subcommandOf(pod, container)
  if (subcommand === undefined) return undefined
  const server = serverOf(subcommand, container)
  return server === undefined || server.port !== undefined
}

/** Returns the file of its container that a probe asks a server for; undefined if it asks for none. */
export const fileServedTo = (pod: Pod, container: Container, { httpGet }: Probe): string | undefined => {
  if (httpGet === undefined || httpGet.host !== undefined) return undefined
  const subcommand = subcommandOf(pod, container)
  if (subcommand?.name !== FILE_SERVER) return undefined
  const { port } = serverOf(subcommand, container) ?? {}
  return portOf(httpGet.port, container) === port ? httpGet.path : undefined
}
