import type { Container, Probe } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { probeMessage } from "../../src/prober/probeMessage.ts"
import { createPod, makeRecorder, startKubelet } from "../pod/lifeOf.ts"

const container: Container = { name: "c", ports: [{ name: "web", containerPort: 8080 }] }

describe("what a failed check says", () => {
  const cases: ReadonlyArray<readonly [Probe, unhealthy: string, refused: string, timeout: string]> = [
    [
      { httpGet: { path: "healthz", port: "web" } },
      "HTTP probe failed with statuscode: 503",
      'Get "http://10.0.0.7:8080/healthz": dial tcp 10.0.0.7:8080: connect: connection refused',
      'Get "http://10.0.0.7:8080/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    ],
    [
      { tcpSocket: { port: 5432 } },
      "dial tcp 10.0.0.7:5432: connect: connection refused",
      "dial tcp 10.0.0.7:5432: connect: connection refused",
      "dial tcp 10.0.0.7:5432: i/o timeout"
    ],
    [
      { grpc: { port: 9000 }, timeoutSeconds: 3 },
      'service unhealthy (responded with "NOT_SERVING")',
      'timeout: failed to connect service "10.0.0.7:9000" within 3s: context deadline exceeded',
      "timeout: health rpc did not complete within 3s"
    ],
    [{ exec: { command: ["check", "all"] } }, "", "", 'command timed out: "check all" timed out after 1s']
  ]
  for (const [probe, unhealthy, refused, timeout] of cases) {
    it(`of ${Object.keys(probe)[0]}`, () => {
      assert.strictEqual(probeMessage(probe, container, "10.0.0.7", "unhealthy"), unhealthy)
      assert.strictEqual(probeMessage(probe, container, "10.0.0.7", "refused"), refused)
      assert.strictEqual(probeMessage(probe, container, "10.0.0.7", "timeout"), timeout)
    })
  }

  it("is in the Event, and a redirect to another host is a warning", () => {
    const { events, recorder } = makeRecorder()
    const testNode = startKubelet({ recorder })
    const httpGet = { path: "/", port: 80 }
    const readinessProbe = { httpGet, periodSeconds: 5 }
    const livenessProbe = { grpc: { port: 9000 }, periodSeconds: 5 }
    createPod(testNode, "a", {
      containers: [{ name: "c", image: "app", readinessProbe, livenessProbe }],
      behaviour: { c: { probesRedirect: true, probeFailure: "timeout", failsLivenessAtSeconds: 8 } }
    })
    testNode.untilMs(17_000)
    const said = events.filter((event) => /Unhealthy|ProbeWarning/.test(event))
    assert.deepStrictEqual(said, [
      "Warning ProbeWarning Readiness probe warning: Probe terminated redirects, Response body: ",
      "Warning ProbeWarning Readiness probe warning: Probe terminated redirects, Response body: ",
      "Warning ProbeWarning Readiness probe warning: Probe terminated redirects, Response body: ",
      "Warning Unhealthy Liveness probe failed: timeout: health rpc did not complete within 1s"
    ])
  })
})
