import { assert, describe, it } from "@effect/vitest"
import type { Endpoints, Pod, Service } from "@rollcall/api"
import * as Result from "effect/Result"
import { type ServiceObjects, serviceTarget } from "../../../src/http/resources/proxy/serviceTarget.ts"

const metadata = { name: "x", namespace: "default" }

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { ports: [{ name: "web", port: 80 }, { port: 81 }] }
}

const pod = (ip: string) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName: "n1", containers: [] },
    status: { podIPs: [{ ip }] }
  }) as Pod

const refTo = (name: string, namespace = "default") => ({ kind: "Pod", name, namespace })

const endpoints = (...addresses: ReadonlyArray<{ readonly ip: string; readonly targetRef?: object }>): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata,
  subsets: [{ addresses, ports: [{ name: "web", port: 8080 }, { port: 8081 }] }]
})

const objectsOf = (given: Endpoints | undefined): ServiceObjects => ({
  service: (name) => (name === "s" ? service : undefined),
  endpoints: (name) => (name === "s" || name === "bare" ? given : undefined),
  pod: (name) => (name === "p" ? pod("10.0.0.1") : undefined)
})

const answer = (id: string, given: Endpoints | undefined = endpoints({ ip: "10.0.0.1", targetRef: refTo("p") })) =>
  Result.match(serviceTarget(id, "default", objectsOf(given)), {
    onSuccess: ({ ip, port }) => `${ip}:${port}`,
    onFailure: ({ code, message }) => `${code} ${message}`
  })

describe("the target of a proxied Service", () => {
  it("is the endpoint of a port, by its number, its name or none", () => {
    assert.deepStrictEqual(
      ["s:80", "s:web", "http:s:web", "s:81", "s", "https:s:"].map((id) => answer(id)),
      ["10.0.0.1:8080", "10.0.0.1:8080", "10.0.0.1:8080", "10.0.0.1:8081", "10.0.0.1:8081", "10.0.0.1:8081"]
    )
  })

  it("is asked as the path says, on the node of its pod", () => {
    const found = serviceTarget(
      "https:s:web",
      "default",
      objectsOf(endpoints({ ip: "10.0.0.1", targetRef: refTo("p") }))
    )
    const expected = { scheme: "https", node: "n1", ip: "10.0.0.1", port: 8080 }
    assert.deepStrictEqual(Result.isSuccess(found) ? found.success : undefined, expected)
  })

  it("is refused for other names and ports, and without the Service or its endpoints", () => {
    assert.strictEqual(answer("ftp:s:80"), '400 invalid service request "ftp:s:80"')
    assert.strictEqual(answer("a:b:c:d"), '400 invalid service request "a:b:c:d"')
    assert.strictEqual(answer(":80"), '400 invalid service request ":80"')
    assert.strictEqual(answer("s:99"), '503 no service port 99 found for service "s"')
    assert.strictEqual(answer("bare:80"), '404 services "bare" not found')
    assert.strictEqual(answer("none"), '404 services "none" not found')
    assert.strictEqual(answer("s:other"), '503 no endpoints available for service "s:other"')
    const { subsets: _, ...empty } = endpoints()
    assert.strictEqual(answer("s:80", empty), '503 no endpoints available for service "s"')
  })

  it("is no address of another namespace, another pod or none", () => {
    const refused = '503 no endpoints available for service "s:80"'
    assert.strictEqual(answer("s:80", endpoints({ ip: "10.0.0.1" })), refused)
    assert.strictEqual(answer("s:80", endpoints({ ip: "10.0.0.1", targetRef: refTo("p", "other") })), refused)
    assert.strictEqual(answer("s:80", endpoints({ ip: "10.0.0.1", targetRef: refTo("q") })), refused)
    assert.strictEqual(answer("s:80", endpoints({ ip: "10.0.0.2", targetRef: refTo("p") })), refused)
  })
})
