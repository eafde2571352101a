import type { Shape } from "../Life.ts"
import {
  container,
  createPod,
  createPodNamed,
  deletePod,
  deletePodNamed,
  evictPod,
  patchPod,
  probe,
  shape
} from "./shape.ts"

const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } })

/** Pods that run until they are deleted. */
export const runningShapes: ReadonlyArray<Shape> = [
  shape("plain", 14, createPod(), deletePod(6)),
  shape(
    "two-containers",
    14,
    createPod({ containers: [container(), container({ name: "log", image: "log:2" })] }),
    deletePod(6)
  ),
  shape(
    "guaranteed",
    14,
    createPod({ containers: [container({ resources: resources("100m", "64Mi") })] }),
    deletePod(6)
  ),
  shape(
    "volumes",
    14,
    createPod({
      volumes: [{ name: "cache", emptyDir: {} }],
      containers: [container({ volumeMounts: [{ name: "cache", mountPath: "/cache" }] })]
    }),
    deletePod(6)
  ),
  shape(
    "host-network",
    14,
    createPod({ hostNetwork: true, containers: [container({ ports: [{ containerPort: 8080, hostPort: 8080 }] })] }),
    deletePod(6)
  ),
  shape(
    "user",
    14,
    createPod({
      securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] },
      volumes: [{ name: "cache", emptyDir: {} }],
      containers: [
        container({ volumeMounts: [{ name: "cache", mountPath: "/cache", readOnly: true }] }),
        container({ name: "root", securityContext: { runAsUser: 0, runAsGroup: 0 } })
      ]
    }),
    deletePod(6)
  ),
  shape(
    "pod-level-resources",
    14,
    createPod({
      resources: resources("500m", "256Mi"),
      containers: [container(), container({ name: "log", image: "log:2" })]
    }),
    deletePod(6)
  ),
  shape(
    "burstable",
    14,
    createPod({ containers: [container({ resources: { requests: { cpu: "50m", memory: "32Mi" } } })] }),
    deletePod(6)
  ),
  shape(
    "http-probes",
    40,
    createPod({
      annotations: { "test/ports": "8080" },
      behaviour: { app: { readyAfterSeconds: 5, unreadyAtSeconds: 15, readyAgainAtSeconds: 21 } },
      containers: [
        container({
          ports: [{ containerPort: 8080 }],
          readinessProbe: { httpGet: { path: "/readiness", port: 8080 }, periodSeconds: 2, failureThreshold: 2 }
        })
      ]
    }),
    deletePod(30)
  ),
  shape("deleted-at-once", 10, createPod(), deletePod(0.3)),
  shape("deleted-by-force", 10, createPod({ behaviour: { app: { stopSeconds: 3 } } }), deletePod(4, 0)),
  shape("grace-shortened", 24, createPod({ behaviour: { app: { stopSeconds: 12 } } }), deletePod(4), deletePod(7, 2)),
  shape(
    "killed-after-grace",
    20,
    createPod({ terminationGracePeriodSeconds: 4, behaviour: { app: { stopSeconds: 60 } } }),
    deletePod(4)
  ),
  shape("exits-with-error-on-stop", 14, createPod({ behaviour: { app: { stopExitCode: 143 } } }), deletePod(5)),
  shape("evicted", 14, createPod(), evictPod(5)),
  shape(
    "readiness-gate",
    20,
    createPod({ readinessGates: [{ conditionType: "example.com/ready" }] }),
    patchPod(5, { status: { conditions: [{ type: "example.com/ready", status: "True" }] } }, "status"),
    deletePod(12)
  ),
  shape(
    "ephemeral",
    20,
    createPod(),
    patchPod(5, { spec: { ephemeralContainers: [{ name: "debug", image: "debug:1" }] } }, "ephemeralcontainers"),
    deletePod(12)
  ),
  shape("labelled", 14, createPod(), patchPod(4, { metadata: { labels: { colour: "blue" } } }), deletePod(8)),
  shape(
    "image-changed",
    24,
    createPod(),
    patchPod(5, { spec: { containers: [{ name: "app", image: "app:2" }] } }),
    deletePod(16)
  ),
  shape(
    "resized",
    30,
    createPod({ containers: [container({ resources: resources("100m", "64Mi") })] }),
    patchPod(5, { spec: { containers: [{ name: "app", resources: resources("200m", "128Mi") }] } }, "resize"),
    deletePod(22)
  ),
  shape(
    "resize-deferred",
    44,
    createPod({ containers: [container({ resources: resources("100m", "64Mi") })] }),
    createPodNamed("resize-deferred-neighbour", { containers: [container({ resources: resources("4", "64Mi") })] }),
    patchPod(5, { spec: { containers: [{ name: "app", resources: resources("5", "64Mi") }] } }, "resize"),
    deletePodNamed(14, "resize-deferred-neighbour"),
    deletePod(36)
  ),
  shape(
    "resize-restarts",
    34,
    createPod({
      containers: [
        container({
          resources: resources("100m", "64Mi"),
          resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }]
        })
      ]
    }),
    patchPod(5, { spec: { containers: [{ name: "app", resources: resources("100m", "128Mi") }] } }, "resize"),
    deletePod(26)
  ),
  shape(
    "probes",
    75,
    createPod({
      behaviour: {
        app: {
          startedAfterSeconds: 3,
          readyAfterSeconds: 9,
          unreadyAtSeconds: 21,
          readyAgainAtSeconds: 31,
          failsLivenessAtSeconds: 43
        }
      },
      containers: [
        container({
          startupProbe: probe("startup", { periodSeconds: 2, failureThreshold: 10 }),
          readinessProbe: probe("readiness", { periodSeconds: 2, failureThreshold: 2 }),
          livenessProbe: probe("liveness", { periodSeconds: 3, failureThreshold: 2 })
        })
      ]
    }),
    deletePod(65)
  ),
  shape(
    "startup-fails",
    32,
    createPod({
      behaviour: { app: { startedAfterSeconds: 100 } },
      containers: [container({ startupProbe: probe("startup", { periodSeconds: 2, failureThreshold: 3 }) })]
    }),
    deletePod(26)
  ),
  shape(
    "hooks",
    30,
    createPod({
      terminationGracePeriodSeconds: 10,
      behaviour: { app: { postStartSeconds: 2, preStopSeconds: 3 } },
      containers: [
        container({
          lifecycle: {
            postStart: { exec: { command: ["hook", "postStart"] } },
            preStop: { exec: { command: ["hook", "preStop"] } }
          }
        })
      ]
    }),
    deletePod(10)
  ),
  shape(
    "hook-outlasts-grace",
    30,
    createPod({
      terminationGracePeriodSeconds: 4,
      behaviour: { app: { preStopSeconds: 30 } },
      containers: [container({ lifecycle: { preStop: { exec: { command: ["hook", "preStop"] } } } })]
    }),
    deletePod(5)
  ),
  shape(
    "post-start-fails",
    34,
    createPod({
      behaviour: { app: { postStart: "fail" } },
      containers: [container({ lifecycle: { postStart: { exec: { command: ["hook", "postStart"] } } } })]
    }),
    deletePod(30)
  ),
  shape(
    "pre-stop-fails",
    20,
    createPod({
      behaviour: { app: { preStop: "fail" } },
      containers: [container({ lifecycle: { preStop: { exec: { command: ["hook", "preStop"] } } } })]
    }),
    deletePod(5)
  ),
  shape(
    "sleep-hook",
    20,
    createPod({ containers: [container({ lifecycle: { preStop: { sleep: { seconds: 2 } } } })] }),
    deletePod(5)
  )
]
