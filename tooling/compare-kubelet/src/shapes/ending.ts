import type { Shape } from "../Life.ts"
import { container, createPod, deletePod, patchPod, probe, shape } from "./shape.ts"

const exits = (exitAfterSeconds: number, exitCode = 0) => ({ exitAfterSeconds, exitCode })
const init = (name: string, fields: object = {}) => container({ name, image: `${name}:1`, ...fields })

/** Pods whose containers exit by themselves, and pods that the kubelet ends. */
export const endingShapes: ReadonlyArray<Shape> = [
  shape("completes", 20, createPod({ restartPolicy: "Never", behaviour: { app: exits(3) } }), deletePod(12)),
  shape("fails", 20, createPod({ restartPolicy: "Never", behaviour: { app: exits(3, 2) } }), deletePod(12)),
  shape("completes-alone", 24, createPod({ restartPolicy: "OnFailure", behaviour: { app: exits(3) } })),
  shape(
    "one-of-two-fails",
    24,
    createPod({
      restartPolicy: "Never",
      behaviour: { app: exits(3, 1), log: exits(8) },
      containers: [container(), container({ name: "log", image: "log:1" })]
    }),
    deletePod(18)
  ),
  shape("crash-loop", 42, createPod({ behaviour: { app: exits(2, 1) } }), deletePod(36)),
  shape(
    "restarted-once",
    50,
    createPod({ restartPolicy: "OnFailure", behaviour: { app: { exitAfterSeconds: 3, exitCode: 1, exitTimes: 1 } } }),
    deletePod(40)
  ),
  shape(
    "init-containers",
    24,
    createPod({ behaviour: { first: exits(2), second: exits(1) }, initContainers: [init("first"), init("second")] }),
    deletePod(15)
  ),
  shape(
    "init-fails",
    20,
    createPod({
      restartPolicy: "Never",
      behaviour: { first: exits(2, 3) },
      initContainers: [init("first"), init("second")]
    }),
    deletePod(12)
  ),
  shape(
    "init-crash-loop",
    42,
    createPod({ behaviour: { first: exits(2, 1) }, initContainers: [init("first")] }),
    deletePod(36)
  ),
  shape(
    "sidecar",
    30,
    createPod({
      behaviour: { proxy: { startedAfterSeconds: 3 } },
      initContainers: [
        init("proxy", {
          restartPolicy: "Always",
          startupProbe: probe("startup", { periodSeconds: 2, failureThreshold: 5 })
        })
      ]
    }),
    deletePod(15)
  ),
  shape(
    "job-with-sidecar",
    30,
    createPod({
      restartPolicy: "Never",
      behaviour: { app: exits(4) },
      initContainers: [init("proxy", { restartPolicy: "Always" })]
    }),
    deletePod(20)
  ),
  shape("deadline", 24, createPod({ activeDeadlineSeconds: 5 }), deletePod(16)),
  shape(
    "deadline-set-later",
    24,
    createPod({ restartPolicy: "Never" }),
    patchPod(4, { spec: { activeDeadlineSeconds: 8 } }),
    deletePod(18)
  ),
  shape("deleted-in-back-off", 30, createPod({ behaviour: { app: exits(2, 1) } }), deletePod(14)),
  shape(
    "deleted-while-initializing",
    24,
    createPod({ behaviour: { first: exits(60) }, initContainers: [init("first")] }),
    deletePod(6)
  ),
  shape(
    "restart-all",
    40,
    createPod({
      restartPolicy: "Never",
      behaviour: { app: { exitAfterSeconds: 5, exitCode: 88, exitTimes: 1 }, first: exits(1) },
      initContainers: [init("first")],
      containers: [
        container({
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [88] } }]
        }),
        container({ name: "log", image: "log:1" })
      ]
    }),
    deletePod(28)
  ),
  shape(
    "sidecar-fails",
    36,
    createPod({
      behaviour: { proxy: { exitAfterSeconds: 4, exitCode: 1, exitTimes: 1 } },
      initContainers: [init("proxy", { restartPolicy: "Always" })]
    }),
    deletePod(24)
  ),
  shape(
    "restart-rules",
    60,
    createPod({
      restartPolicy: "Never",
      behaviour: { app: { exitAfterSeconds: 2, exitCode: 42, exitTimes: 2 } },
      containers: [
        container({
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }]
        })
      ]
    }),
    deletePod(50)
  )
]
