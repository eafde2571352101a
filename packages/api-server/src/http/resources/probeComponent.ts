import { get } from "node:https"

/** A component whose health the kind ComponentStatus shows, besides the store's. */
export type ProbedComponent = "controller-manager" | "scheduler"

export interface ComponentHealth {
  readonly isHealthy: boolean
  /** What it said, or why it was not reached. */
  readonly message: string
}

/** Asks a component for its health. The promise is never rejected. */
export type ProbeComponent = (component: ProbedComponent) => Promise<ComponentHealth>

/** Upstream: pkg/registry/core/rest/storage_core.go, whose probes end after 20 seconds. */
const TIMEOUT_MS = 20_000
const MAX_BODY = 10_240

const ports: Readonly<Record<ProbedComponent, number>> = { "controller-manager": 10_257, scheduler: 10_259 }

/** Returns the health of a component that does not listen on its port of this machine. */
export const notListening = (component: ProbedComponent): ComponentHealth => {
  const address = `127.0.0.1:${ports[component]}`
  const message = `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`
  return { isHealthy: false, message }
}

/** Probes a component on this machine, whose certificate is self-signed. Upstream: pkg/probe/http. */
export const probeThisMachine: ProbeComponent = (component) =>
  new Promise((resolve) => {
    const url = `https://127.0.0.1:${ports[component]}/healthz`
    const fail = (why: string) => resolve({ isHealthy: false, message: `Get "${url}": ${why}` })
    const request = get(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => {
        if (body.length < MAX_BODY) body += chunk.toString()
      })
      response.on("end", () => resolve({ isHealthy: response.statusCode === 200, message: body }))
      response.on("error", ({ message }) => fail(message))
    })
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")))
    request.on("error", ({ message }) => {
      if (message.includes("ECONNREFUSED")) resolve(notListening(component))
      else fail(message)
    })
  })
