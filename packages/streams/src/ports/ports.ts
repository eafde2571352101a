/*
 * Ports of a pod that a client connects to. Upstream: cri-streaming/pkg/streaming/portforward/{httpstream,websocket}.go.
 */

import { goQuote } from "@rollcall/api"

/** Returns a port; otherwise what is wrong with it. */
export const parsePort = (text: string): number | string => {
  const quoted = goQuote(text)
  if (!/^\d+$/.test(text))
    return `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: invalid syntax`
  const port = Number(text)
  if (port > 65_535)
    return `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: value out of range`
  return port === 0 ? `port ${quoted} must be > 0` : port
}

/** Upstream has no limit; each port is two channels, whose numbers are a byte. */
const MAX_PORTS = 127

/** Returns the ports that a request for a WebSocket names; otherwise what is wrong with them. Upstream: NewV4Options. */
export const requestedPorts = (values: ReadonlyArray<string> | undefined): ReadonlyArray<number> | string => {
  if (values === undefined || values.length === 0) return 'query parameter "port" is required'
  const ports: Array<number> = []
  for (const value of values) {
    if (value === "") return 'query parameter "port" cannot be empty'
    for (const text of value.split(",")) {
      const port = parsePort(text)
      if (typeof port === "string") return port
      ports.push(port)
    }
  }
  return ports.length > MAX_PORTS ? `at most ${MAX_PORTS} ports may be forwarded over one WebSocket` : ports
}
