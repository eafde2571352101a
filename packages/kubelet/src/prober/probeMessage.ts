import type { Container, Probe } from "@rollcall/api"
import type { ProbeFailure } from "../runtime/ProbeOutcomes.ts"

type Port = string | number | undefined

/** Returns the number of a probe's port, which may be the name of a port of the container. */
const portOf = (port: Port, { ports = [] }: Container): number => {
  if (typeof port === "number") return port
  return ports.find(({ name }) => name === port)?.containerPort ?? Number(port ?? 0)
}

const hostPort = (host: string, port: number): string => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)

const REFUSED = "connect: connection refused"
/** What net/http says if the answer does not come within the client's timeout. */
const NO_ANSWER = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
/** The status of an HTTP answer of a modelled container that is not healthy. */
const UNAVAILABLE = 503

const httpMessage = (
  { host, path = "", port, scheme = "HTTP" }: NonNullable<Probe["httpGet"]>,
  container: Container,
  podIP: string,
  failure: ProbeFailure
): string => {
  if (failure === "unhealthy") return `HTTP probe failed with statuscode: ${UNAVAILABLE}`
  const address = hostPort(host ?? podIP, portOf(port, container))
  const url = `${scheme.toLowerCase()}://${address}${path.startsWith("/") ? path : `/${path}`}`
  return `Get ${JSON.stringify(url)}: ${failure === "refused" ? `dial tcp ${address}: ${REFUSED}` : NO_ANSWER}`
}

/**
 * Returns what a genuine kubelet says about a check that failed in this way. Upstream: pkg/probe/exec/exec.go,
 * http/http.go, tcp/tcp.go, grpc/grpc.go.
 */
export const probeMessage = (probe: Probe, container: Container, podIP: string, failure: ProbeFailure): string => {
  const { exec, grpc, httpGet, tcpSocket, timeoutSeconds = 1 } = probe
  if (httpGet !== undefined) return httpMessage(httpGet, container, podIP, failure)
  if (tcpSocket !== undefined) {
    const address = hostPort(tcpSocket.host ?? podIP, portOf(tcpSocket.port, container))
    return `dial tcp ${address}: ${failure === "timeout" ? "i/o timeout" : REFUSED}`
  }
  if (grpc !== undefined) {
    const address = hostPort(podIP, grpc.port)
    if (failure === "timeout") return `timeout: health rpc did not complete within ${timeoutSeconds}s`
    return failure === "unhealthy"
      ? 'service unhealthy (responded with "NOT_SERVING")'
      : `timeout: failed to connect service ${JSON.stringify(address)} within ${timeoutSeconds}s: context deadline exceeded`
  }
  // The message of an exec probe is the output of its command, which modelled containers do not have.
  const command = (exec?.command ?? []).join(" ")
  return failure === "timeout" ? `command timed out: ${JSON.stringify(command)} timed out after ${timeoutSeconds}s` : ""
}
