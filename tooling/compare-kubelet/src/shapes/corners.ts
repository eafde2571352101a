import type { Shape } from "../Life.ts"
import { container, createPod, deletePod, patchPod, probe, shape } from "./shape.ts"

const exits = (exitAfterSeconds: number, exitCode = 0) => ({ exitAfterSeconds, exitCode })
const init = (name: string, fields: object = {}) => container({ name, image: `${name}:1`, ...fields })
const hook = (name: string) => ({ exec: { command: ["hook", name] } })
const limits = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } })

/** Pods to which two things happen at once. */
export const cornerShapes: ReadonlyArray<Shape> = [
  shape("no-grace", 12, createPod({ terminationGracePeriodSeconds: 0 }), deletePod(5)),
  shape(
    "deleted-with-longer-grace",
    24,
    createPod({ terminationGracePeriodSeconds: 3, behaviour: { app: { stopSeconds: 6 } } }),
    deletePod(4, 20)
  ),
  shape(
    "one-of-two-crashes",
    30,
    createPod({
      behaviour: { log: exits(3, 1) },
      containers: [container(), container({ name: "log", image: "log:1" })]
    }),
    deletePod(13)
  ),
  shape(
    "both-complete",
    20,
    createPod({
      restartPolicy: "OnFailure",
      behaviour: { app: exits(3), log: { exitAfterSeconds: 6, exitCode: 0 } },
      containers: [container(), container({ name: "log", image: "log:1" })]
    }),
    deletePod(14)
  ),
  shape(
    "liveness-fails-never-restarted",
    24,
    createPod({
      restartPolicy: "Never",
      behaviour: { app: { failsLivenessAtSeconds: 3, stopExitCode: 143 } },
      containers: [container({ livenessProbe: probe("liveness", { periodSeconds: 2, failureThreshold: 1 }) })]
    }),
    deletePod(16)
  ),
  shape(
    "liveness-kills-after-own-grace",
    30,
    createPod({
      behaviour: { app: { failsLivenessAtSeconds: 3, stopSeconds: 60 } },
      containers: [
        container({
          livenessProbe: probe("liveness", { periodSeconds: 2, failureThreshold: 1, terminationGracePeriodSeconds: 4 })
        })
      ]
    }),
    deletePod(11.8, 2)
  ),
  shape(
    "deadline-in-crash-loop",
    24,
    createPod({ activeDeadlineSeconds: 10, behaviour: { app: exits(2, 1) } }),
    deletePod(18)
  ),
  shape(
    "deleted-during-post-start",
    24,
    createPod({
      behaviour: { app: { postStartSeconds: 6 } },
      containers: [container({ lifecycle: { postStart: hook("postStart") } })]
    }),
    deletePod(4)
  ),
  shape(
    "deleted-during-restart",
    24,
    createPod({ behaviour: { app: { exitAfterSeconds: 3, exitCode: 1, startSeconds: 2 } } }),
    deletePod(7.6)
  ),
  shape(
    "ephemeral-exits",
    24,
    createPod({ behaviour: { debug: exits(3, 2) } }),
    patchPod(4, { spec: { ephemeralContainers: [{ name: "debug", image: "debug:1" }] } }, "ephemeralcontainers"),
    deletePod(14)
  ),
  shape(
    "sidecar-stops-last",
    30,
    createPod({
      behaviour: { app: { stopSeconds: 3 }, proxy: { stopSeconds: 2 }, mesh: { stopSeconds: 2 } },
      initContainers: [init("proxy", { restartPolicy: "Always" }), init("mesh", { restartPolicy: "Always" })]
    }),
    deletePod(8)
  ),
  shape(
    "init-after-sidecar-fails",
    24,
    createPod({
      restartPolicy: "Never",
      behaviour: { first: exits(3, 1) },
      initContainers: [init("proxy", { restartPolicy: "Always" }), init("first")]
    }),
    deletePod(16)
  ),
  shape(
    "host-network-init",
    20,
    createPod({ hostNetwork: true, behaviour: { first: exits(2) }, initContainers: [init("first")] }),
    deletePod(10)
  ),
  shape(
    "resized-one-of-two",
    24,
    createPod({
      containers: [
        container({ resources: limits("100m", "64Mi") }),
        container({ name: "log", image: "log:1", resources: limits("100m", "64Mi") })
      ]
    }),
    patchPod(5, { spec: { containers: [{ name: "log", resources: limits("200m", "64Mi") }] } }, "resize"),
    deletePod(14)
  ),
  shape(
    "gate-becomes-false",
    24,
    createPod({ readinessGates: [{ conditionType: "example.com/ready" }] }),
    patchPod(4, { status: { conditions: [{ type: "example.com/ready", status: "True" }] } }, "status"),
    patchPod(9, { status: { conditions: [{ type: "example.com/ready", status: "False" }] } }, "status"),
    deletePod(15)
  )
]
