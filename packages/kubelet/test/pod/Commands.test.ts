import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { annotationBehaviour } from "../../src/runtime/PodBehaviour.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

/** Runs a pod, whose containers start at 6 s, until that time. Returns its status. */
const statusAt = (seconds: number, spec: Partial<Pod["spec"]>, behaviour?: string): Pod["status"] => {
  const { api, kubelet, untilMs } = setUpKubelet()
  kubelet.startKubelet()
  untilMs(5_000)
  const annotations = behaviour === undefined ? {} : { [annotationBehaviour]: behaviour }
  const metadata = { name: "a", namespace: "default", annotations }
  const object: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName: "n1", restartPolicy: "Never", containers: [{ name: "c", image: "app" }], ...spec }
  }
  api.ask({ verb: "create", kind: "Pod", namespace: "default", object })
  untilMs(seconds * 1000)
  return api.pod("a")?.status
}

const running = (script: string) => [{ name: "c", image: "app", command: ["sh", "-c", script] }]

describe("a probe whose command decides how it ends", () => {
  const probed = (command: ReadonlyArray<string>, env?: Pod["spec"]["containers"][number]["env"]) => ({
    containers: [
      {
        name: "c",
        image: "app",
        readinessProbe: { exec: { command }, periodSeconds: 1 },
        ...(env === undefined ? {} : { env })
      }
    ]
  })
  const isReadyAt = (seconds: number, spec: Partial<Pod["spec"]>, behaviour?: string) =>
    statusAt(seconds, spec, behaviour)?.containerStatuses?.[0]?.ready

  it("passes or fails so", () => {
    assert.isFalse(isReadyAt(60, probed(["/bin/false"])))
    assert.isTrue(isReadyAt(60, probed(["true"])))
    assert.isTrue(isReadyAt(60, probed(["curl", "x"])), "it is not known")
    assert.isFalse(isReadyAt(60, probed(["sleep", "3"])), "it takes longer than a second")
    const env = [{ name: "READY", value: "no" }]
    assert.isFalse(isReadyAt(60, probed(["sh", "-c", '[ "$READY" = yes ]'], env)))
  })

  it("passes as its pod's annotation says, if that says when", () => {
    assert.isFalse(isReadyAt(60, probed(["false"]), '{"c": {"memory": "1Mi"}}'))
    assert.isTrue(isReadyAt(60, probed(["false"]), '{"c": {"readyAfterSeconds": 3}}'))
  })

  it("looks at the files that the command of its container writes and removes", () => {
    const probing = (command: ReadonlyArray<string>, probe: ReadonlyArray<string>) => ({
      containers: [{ name: "c", image: "app", command, readinessProbe: { exec: { command: probe }, periodSeconds: 1 } }]
    })
    const look = ["cat", "/tmp/healthy"]
    const script = "sleep 5; touch /tmp/healthy; sleep 10; rm -rf /tmp/healthy; sleep 600"
    const ready = [9, 14, 30].map((at) => isReadyAt(at, probing(["sh", "-c", script], look)))
    assert.deepStrictEqual(ready, [false, true, false])
    assert.isTrue(isReadyAt(60, probing(["sleep", "600"], look)), "the image may have it")
    assert.isTrue(isReadyAt(60, probing(["sh", "-c", "echo > /tmp/x; nginx"], look)), "the program may write it")
  })

  it("asks the servers of Kubernetes' test image, and ports that none listens on", () => {
    const container = (args: ReadonlyArray<string>, livenessProbe: object) => ({
      containers: [
        {
          name: "c",
          image: "agnhost:2.53",
          args,
          ports: [{ name: "web", containerPort: 8080 }],
          livenessProbe: { ...livenessProbe, periodSeconds: 1, failureThreshold: 1 }
        }
      ],
      restartPolicy: "Always" as const
    })
    const restarts = (seconds: number, args: ReadonlyArray<string>, probe: object) =>
      statusAt(seconds, container(args, probe))?.containerStatuses?.[0]?.restartCount
    const healthz = { httpGet: { path: "/healthz", port: "web" } }
    assert.strictEqual(restarts(14, ["liveness"], healthz), 0)
    assert.isAtLeast(restarts(60, ["liveness"], healthz) ?? 0, 1)
    assert.strictEqual(restarts(60, ["liveness"], { tcpSocket: { port: 8080 } }), 0)
    assert.isAtLeast(restarts(30, ["liveness"], { tcpSocket: { port: 80 } }) ?? 0, 1)
    assert.isAtLeast(restarts(30, ["liveness"], { httpGet: { path: "/nope", port: 8080 } }) ?? 0, 1)
    const redirect = (to: string) => ({ httpGet: { path: `/redirect?loc=${encodeURIComponent(to)}`, port: 8080 } })
    assert.isAtLeast(restarts(60, ["liveness"], redirect("/healthz")) ?? 0, 1)
    assert.strictEqual(restarts(60, ["liveness"], redirect("http://0.0.0.0/")), 0)
    const grpc = { grpc: { port: 5000 } }
    assert.strictEqual(restarts(60, ["grpc-health-checking"], grpc), 0)
    assert.isAtLeast(restarts(30, ["grpc-health-checking", "--delay-unhealthy-sec=5"], grpc) ?? 0, 1)
    assert.strictEqual(restarts(60, ["netexec"], healthz), 0, "it is not known")
  })

  it("restarts a container that is not alive", () => {
    const livenessProbe = { exec: { command: ["false"] }, periodSeconds: 1, failureThreshold: 2 }
    const status = statusAt(60, { restartPolicy: "Always", containers: [{ name: "c", image: "app", livenessProbe }] })
    assert.isAtLeast(status?.containerStatuses?.[0]?.restartCount ?? 0, 1)
  })
})

describe("a container whose command decides how it ends", () => {
  it("ends so", () => {
    const containers = running("sleep 4; exit 3")
    assert.strictEqual(statusAt(9, { containers })?.phase, "Running")
    const status = statusAt(11, { containers })
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3)
    assert.strictEqual(statusAt(11, { containers: running("sleep 4") })?.phase, "Succeeded")
  })

  it("fails its pod as an init container", () => {
    const status = statusAt(9, { initContainers: [{ name: "i", image: "app", command: ["/bin/false"] }] })
    assert.strictEqual(status?.phase, "Failed")
    assert.strictEqual(status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 1)
  })

  it("is restarted, with the same end", () => {
    const status = statusAt(60, { restartPolicy: "OnFailure", containers: running("exit 1") })
    assert.strictEqual(status?.phase, "Running")
    assert.isAtLeast(status?.containerStatuses?.[0]?.restartCount ?? 0, 2)
  })

  it("ends as its pod's annotation says, if that says how", () => {
    const containers = running("exit 1")
    const annotated = statusAt(20, { containers }, '{"c": {"exitAfterSeconds": 2}}')
    assert.strictEqual(annotated?.phase, "Succeeded")
    assert.strictEqual(statusAt(20, { containers }, '{"c": {"exitAfterSeconds": 2, "exitTimes": 0}}')?.phase, "Running")
    assert.strictEqual(statusAt(20, { containers }, '{"c": {"memory": "1Mi"}}')?.phase, "Failed")
  })
})
